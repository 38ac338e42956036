// SPDX-License-Identifier: Apache-2.0
// parquet_rows.mjs MODULES FILE - a Parquet file, read by hyparquet, as lines of JSON: the names of the columns,
// then every row as an array. Used by tests/parquet_npm.sh.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, file] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(modules, name)).href);
const { parquetReadObjects, parquetMetadata } = await load('hyparquet/src/index.js');
const { compressors } = await load('hyparquet-compressors/src/index.js');

const bytes = fs.readFileSync(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const names = parquetMetadata(buffer).schema.slice(1).map((column) => column.name);
const cell = (value) => {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? Number(value) : value ?? null;
};
console.log(JSON.stringify(names));
for (const row of await parquetReadObjects({ file: buffer, compressors }))
  console.log(JSON.stringify(names.map((name) => cell(row[name]))));
