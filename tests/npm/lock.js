// SPDX-License-Identifier: Apache-2.0
// lock.js - what `npm run lock` does after npm wrote package-lock.json: whatever names a machine goes.
'use strict';
const fs = require('fs');
const path = require('path');

const file = path.join(__dirname, 'package-lock.json');
const lock = JSON.parse(fs.readFileSync(file, 'utf8'));
for (const entry of Object.values(lock.packages))
  for (const key of ['resolved', 'funding', 'deprecated']) delete entry[key];
fs.writeFileSync(file, JSON.stringify(lock, null, 2) + '\n');
