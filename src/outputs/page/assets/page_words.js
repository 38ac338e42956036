// SPDX-License-Identifier: Apache-2.0
// page_words.js - what the short words of tt-perf's columns mean.

/** @type {Record<string, string>} */
const MEANINGS = {
  DRAM: 'limited by DRAM bandwidth',
  FLOP: 'limited by arithmetic',
  BOTH: 'close to both peaks',
  LINK: 'limited by links between chips',
  NOC: 'limited by the network on chip',
  CORES: 'most cores do nothing',
  IMBALANCE: 'one core works much longer than the others',
  PADDING: 'most of the work is padding',
  READER: 'compute waits for input',
  WRITER: 'compute waits for room for output',
  COMPUTE: 'limited by the compute thread',
  GAP: 'the device waits longer than the operation takes',
  HOST: 'runs on the host',
  SLOW: 'far from every peak, reason unknown',
  TM: 'tensor manipulation: layout, shape',
  DM: 'data movement: copies, slices',
  CCL: 'collectives between chips',
};

/** @param {string} word */
function withMeaning(word) {
  return Object.hasOwn(MEANINGS, word) ? `${word}: ${MEANINGS[word]}` : word;
}
