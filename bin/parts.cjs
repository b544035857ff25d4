// Loads what a daemon consists of: parts (scripts/build.mjs), out of the code cache of what it does. A master's worker and
// its publisher use different functions of the same parts, so each has a cache of its own: one file, which stays open, so
// that an installation which puts another in its place disturbs no process that runs.
'use strict';
const { fstatSync, openSync, readFileSync, readSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const PART = /^\.\/part-[A-Z0-9]+\.cjs$/;
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
/** Bytes that say how long the table of contents is. */
const LENGTH_BYTES = 4;

/**
 * @param dist the folder of the parts
 * @param name of what the process does
 * @param require_ for everything else, and for parts that are not there
 * @returns what loads a part, or anything else
 */
module.exports = function partsOf(dist, name, require_) {
  const path = join(dist, `${name}.parts.cache`);
  const isCaching = process.env.BRINE_WRITE_CODE_CACHE === '1';
  const cached = isCaching ? () => undefined : openCaches(path);
  const modules = new Map();
  const scripts = new Map();
  if (isCaching) process.on('exit', () => writeCaches(path, scripts));

  const load = (wanted) => {
    if (!PART.test(wanted)) return require_(wanted);
    const known = modules.get(wanted);
    if (known !== undefined) return known.exports;
    const filename = join(dist, wanted);
    let text;
    try {
      // the bundler writes ASCII only, which is read faster as bytes
      text = readFileSync(filename, 'latin1');
    } catch {
      return require_(wanted); // whose error says more
    }
    // the places in a stack are those in the file
    const place = { filename, columnOffset: -HEAD.length };
    const script = new Script(`${HEAD}${text}\n})`, { ...place, cachedData: cached(wanted) });
    if (isCaching) scripts.set(wanted, script);
    const module_ = { exports: {} };
    modules.set(wanted, module_);
    try {
      const body = script.runInThisContext();
      body.call(module_.exports, module_.exports, load, module_, filename, dist);
    } catch (error) {
      modules.delete(wanted);
      throw error;
    }
    return module_.exports;
  };
  return Object.assign(load, { resolve: require_.resolve, cache: require_.cache, main: require_.main });
};

/** @returns the cache of a part; nothing where there is none */
function openCaches(path) {
  let file, places, start;
  try {
    file = openSync(path);
    const length = Buffer.alloc(LENGTH_BYTES);
    readSync(file, length, 0, LENGTH_BYTES, 0);
    start = LENGTH_BYTES + length.readUInt32LE();
    if (start > fstatSync(file).size) return () => undefined;
    const contents = Buffer.alloc(start - LENGTH_BYTES);
    readSync(file, contents, 0, contents.length, LENGTH_BYTES);
    places = new Map(JSON.parse(contents.toString('latin1')));
  } catch {
    return () => undefined;
  }
  return (part) => {
    const place = places.get(part);
    if (place === undefined) return undefined;
    const [offset, length] = place;
    const data = Buffer.allocUnsafeSlow(length);
    return readSync(file, data, 0, length, start + offset) === length ? data : undefined;
  };
}

function writeCaches(path, scripts) {
  const all = [...scripts].map(([part, script]) => [part, script.createCachedData()]);
  let offset = 0;
  const places = all.map(([part, { length }]) => {
    offset += length;
    return [part, [offset - length, length]];
  });
  const contents = Buffer.from(JSON.stringify(places), 'latin1');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(contents.length);
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, Buffer.concat([length, contents, ...all.map(([, data]) => data)]));
  renameSync(aside, path);
}
