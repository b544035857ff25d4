// Runs a program from dist/ with its V8 code cache, which saves a third of its start-up time. Without a usable cache
// (another version of Node, a read-only folder when it was built) the program runs all the same. Some programs come in
// layers (scripts/layers.mjs): those after the first are read when a module is asked for that none before them has.
'use strict';
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

/** How many characters each layer begins with that are the same in all layers of one build, and in those of no other. */
const STAMP_LENGTH = 20;
const PARAMETERS = 'exports, require, module, __filename, __dirname, __brineModules, __brineModule';

/**
 * @param name of the program
 * @param flags for V8, before any of the program is read; the code caches of commands are for V8 as it is without
 * @param started the flags that V8 was started with, by name, and what each is without that
 * @param parts how the code caches of its parts are called, for a program that is built in parts (bin/parts.cjs)
 */
module.exports = function launch(name, flags = [], started = {}, parts = undefined) {
  const dist = join(__dirname, '..', 'dist');
  const file = join(dist, `${name}.cjs`);
  if (!existsSync(file)) {
    process.stderr.write(
      `${name} has not been built: ${file} is missing. Run "npm ci" or "npm run build" in ${dirname(__dirname)}.\n`,
    );
    process.exit(70);
  }
  // commands have none, and each module of Node that is loaded is a part of their start
  for (const flag of flags) require('node:v8').setFlagsFromString(flag);
  const unflagged = withoutFlags(started);
  const isCaching = process.env.BRINE_WRITE_CODE_CACHE === '1';
  const isTracing = process.env.BRINE_LAYERS === '1';
  const requireFrom = createRequire(file);
  const require_ = parts === undefined ? requireFrom : require('./parts.cjs')(dist, parts, requireFrom);
  const module_ = { exports: {} };
  const modules = new Map();
  const scripts = [];
  const first = new Set();
  /** Layers that are not loaded yet; the first one names the others. */
  const further = [`${name}.cjs`];
  let stamp;

  /** What an earlier layer has stays: a shared layer has it for programs that do not. */
  const provide = (own, names = []) => {
    for (const path of Object.keys(own)) if (!modules.has(path)) modules.set(path, own[path]);
    further.push(...names);
  };
  const find = (path) => {
    while (!modules.has(path)) loadNext(path);
    return modules.get(path)();
  };
  /** Names what the first layer does not have. */
  const traced = (path) => {
    if (!first.has(path)) process.stderr.write(`${path}\n`);
    return find(path);
  };
  function loadNext(wanted) {
    if (further.length === 0) throw new Error(`no layer of ${name} has ${wanted}`);
    const path = join(dist, further[0]);
    if (isTracing) process.stderr.write(`${path}\n`);
    const text = readLayer(path);
    stamp ??= stampOf(text);
    if (stampOf(text) !== stamp) throw replaced(name);
    further.shift();
    const head = `(function (${PARAMETERS}) {`;
    // the places in a stack are those in the file
    const place = { filename: path, columnOffset: -head.length };
    const cachedData = readIfThere(`${path}.cache`);
    const script = unflagged(() => new Script(`${head}${text}\n})`, { ...place, cachedData }));
    if (isTracing && script.cachedDataRejected)
      process.stderr.write(`${path} has a code cache that does not fit\n`);
    scripts.push([path, script]);
    const body = script.runInThisContext();
    body.call(
      module_.exports,
      module_.exports,
      require_,
      module_,
      file,
      dist,
      provide,
      isTracing ? traced : find,
    );
  }

  function readLayer(path) {
    try {
      // the bundler writes ASCII only, which is read faster as bytes
      return readFileSync(path, 'latin1');
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      const isSameBuild = stampOf(readIfThere(file)?.toString('latin1') ?? '') === stamp;
      throw isSameBuild ? new Error(`${path} is missing. Install Brine anew.`) : replaced(name, error);
    }
  }

  if (isCaching)
    process.on('exit', () => {
      // a layer that no run had need of yet gets a cache of what is compiled when it is loaded
      while (further.length > 0 && !existsSync(`${join(dist, further[0])}.cache`)) loadNext();
      for (const [path, script] of scripts)
        writeFileSync(
          `${path}.cache`,
          unflagged(() => script.createCachedData()),
        );
    });
  loadNext();
  for (const path of modules.keys()) first.add(path);
};

/**
 * V8 takes no code cache that was made with other flags than it has at that moment. Those that only say how memory is
 * managed are not in the code, so it forgets them meanwhile, and all programs share their caches.
 */
function withoutFlags(started) {
  if (Object.keys(started).length === 0) return (work) => work();
  const { setFlagsFromString } = require('node:v8');
  const said = process.execArgv.filter((flag) => flag.split('=')[0] in started);
  return (work) => {
    for (const [flag, usual] of Object.entries(started)) setFlagsFromString(`${flag}=${usual}`);
    try {
      return work();
    } finally {
      for (const flag of said) setFlagsFromString(flag);
    }
  };
}

function stampOf(text) {
  return text.slice(0, STAMP_LENGTH);
}

/** Layers of two builds do not belong together: what one looks up in the other may be gone, or do something else. */
function replaced(name, cause) {
  const program = name.replace('-worker', '');
  const isCommand = !/^salt-(master|minion)/.test(name);
  const error = new Error(
    `Brine was installed anew while this ${program} (PID ${process.pid}) runs, and parts that it had not loaded are ` +
      `gone. ${isCommand ? 'Run' : 'Restart'} ${program}${isCommand ? ' again' : ''}.`,
    { cause },
  );
  return Object.assign(error, { code: 'BRINE_REPLACED' });
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
