// Runs a program from dist/ with its V8 code cache, which saves a third of its start-up time. Without a usable cache
// (another version of Node, a read-only folder when it was built) the program runs all the same. Programs come in layers
// (scripts/layers.mjs): those after the first are read when a module is asked for that they have, and what no layer has
// is read from the pack (scripts/pack.mjs), module by module. Modules are called by their numbers.
'use strict';
const {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { Script, compileFunction } = require('node:vm');

/** How many characters each layer begins with that are the same in all layers of one build, and in those of no other. */
const STAMP_LENGTH = 20;
const PARAMETERS = [
  ...['exports', 'require', 'module', '__filename', '__dirname'],
  ...['__brineModules', '__brineModule', '__brineExports', '__load', '__defer'],
];
const HEAD = `(function (${PARAMETERS}) {`;

/**
 * @param name of the program
 * @param flags for V8, before any of the program is read; the code caches of commands are for V8 as it is without
 * @param started the flags that V8 was started with, by name, and what each is without that
 */
module.exports = function launch(name, flags = [], started = {}) {
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
  const trace = process.env.BRINE_LAYERS === '1' ? tracing(dist) : undefined;
  const require_ = createRequire(file);
  const module_ = { exports: {} };
  const modules = new Map();
  const scripts = [];
  /** Layers that are not loaded yet, and the modules that each has. */
  const further = new Map([[`${name}.cjs`, []]]);
  const pack = new Pack(join(dist, 'pack.cjs'), (error) => gone(join(dist, 'pack.cjs'), error));
  let stamp;
  let defer = deferred;

  /** What an earlier layer has stays: a shared layer has it for programs that do not. */
  const provide = (own, later = [], isDaemon = false) => {
    for (const [number, get] of Object.entries(own))
      if (!modules.has(Number(number))) modules.set(Number(number), get);
    for (const [layer, numbers] of later) further.set(layer, numbers);
    if (!isDaemon) return;
    // it goes on reading this build when another is installed in its place
    try {
      pack.open(stamp);
    } catch {
      // told when it is asked for a module, to whoever asks
    }
    defer = require_;
  };
  const find = (number) => {
    for (const [layer, numbers] of modules.has(number) ? [] : further)
      if (numbers.includes(number)) loadLayer(layer);
    trace?.asked(number, further);
    return (modules.get(number) ?? fromPack(number))();
  };
  const load = async (number) => find(number);

  function loadLayer(layer) {
    const path = join(dist, layer);
    trace?.file(path);
    const text = readLayer(path);
    stamp ??= stampOf(text);
    if (stampOf(text) !== stamp) throw replaced(name);
    further.delete(layer);
    run(compile(text, path));
  }

  function fromPack(number) {
    trace?.file(pack.path);
    pack.open(stamp);
    const { text, line } = pack.read(number);
    if (text === '') throw new Error(`no layer of ${name} has the module ${number}`);
    const exports_ = run(compileFunction(text, PARAMETERS, { filename: pack.path, lineOffset: line }));
    modules.set(number, () => exports_);
    return modules.get(number);
  }

  /** The places in a stack are those in the file. */
  function compile(text, filename) {
    const cachedData = readIfThere(`${filename}.cache`);
    if (cachedData === undefined && !isCaching) return compileFunction(text, PARAMETERS, { filename });
    const place = { filename, columnOffset: -HEAD.length };
    const script = unflagged(() => new Script(`${HEAD}${text}\n})`, { ...place, cachedData }));
    if (script.cachedDataRejected) trace?.rejected(filename);
    if (isCaching) scripts.push([filename, script]);
    return script.runInThisContext();
  }

  function run(body) {
    let exports_;
    const say = (all) => (exports_ = all);
    body.call(
      module_.exports,
      module_.exports,
      require_,
      module_,
      file,
      dist,
      provide,
      find,
      say,
      load,
      defer,
    );
    return exports_;
  }

  function deferred(builtin) {
    const get = (_, key) => require_(builtin)[key];
    return new Proxy({}, { get, has: (_, key) => key in require_(builtin) });
  }

  function readLayer(path) {
    try {
      // the bundler writes ASCII only, which is read faster as bytes
      return readFileSync(path, 'latin1');
    } catch (error) {
      throw gone(path, error);
    }
  }

  /** What says that a file of this build cannot be read, or is another build's. */
  function gone(path, error) {
    if (error !== undefined && error.code !== 'ENOENT') return error;
    const isSameBuild = stampOf(readIfThere(file)?.toString('latin1') ?? '') === stamp;
    const isMissing = error !== undefined && isSameBuild;
    return isMissing ? new Error(`${path} is missing. Install Brine anew.`) : replaced(name, error);
  }

  if (isCaching)
    process.on('exit', () => {
      // a layer that no run had need of yet gets a cache of what is compiled when it is loaded
      for (const layer of [...further.keys()])
        if (!existsSync(join(dist, `${layer}.cache`))) loadLayer(layer);
      for (const [path, script] of scripts)
        writeCache(
          `${path}.cache`,
          unflagged(() => script.createCachedData()),
        );
    });
  loadLayer(`${name}.cjs`);
};

/** The file of the modules that no layer has. Its first line is `/*stamp…/ // length` and where each module lies. */
class Pack {
  static HEAD_LENGTH = STAMP_LENGTH + '//'.length + 8;
  /** Digits, in base 16, of place, length and line. */
  static DIGITS = [8, 6, 6];
  static WIDTH = 20;
  path;
  #fail;
  #file;
  #index;

  /** @param fail what is thrown when the file is not there, or is another build's */
  constructor(path, fail) {
    this.path = path;
    this.#fail = fail;
  }

  /** Whoever has it open keeps it, whatever is installed in its place. */
  open(stamp) {
    if (this.#file !== undefined) return;
    let opened;
    try {
      opened = openSync(this.path, 'r');
    } catch (error) {
      throw this.#fail(error);
    }
    const head = bytesOf(opened, 0, Pack.HEAD_LENGTH).toString('latin1');
    if (stampOf(head) !== stamp) {
      closeSync(opened);
      throw this.#fail();
    }
    this.#index = bytesOf(opened, Pack.HEAD_LENGTH, Number.parseInt(head.slice(-8), 16));
    this.#file = opened;
  }

  /** The text of a module, empty when it has none, and the line that it begins in. */
  read(number) {
    let at = number * Pack.WIDTH;
    const [place, length, line] = Pack.DIGITS.map((digits) =>
      Number.parseInt(this.#index.toString('latin1', at, (at += digits)), 16),
    );
    return { text: bytesOf(this.#file, place, length).toString('latin1'), line };
  }
}

function bytesOf(file, place, length) {
  const bytes = Buffer.allocUnsafeSlow(length);
  let read = 0;
  while (read < length) {
    const more = readSync(file, bytes, read, length - read, place + read);
    if (more === 0) throw new Error('the file of the modules ends too soon. Install Brine anew.');
    read += more;
  }
  return bytes;
}

/** Names the files that are read, and the modules that are looked up beyond the first layer. */
function tracing(dist) {
  const names = JSON.parse(readIfThere(join(dist, '../build/maps/modules.json'))?.toString() ?? '[]');
  const said = new Set();
  const say = (line) => {
    if (!said.has(line)) process.stderr.write(`${line}\n`);
    said.add(line);
  };
  return {
    file: say,
    rejected: (path) => say(`${path} has a code cache that does not fit`),
    asked: (number) => say(names[number] ?? `module ${number}`),
  };
}

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

/** In one step: processes of one program that end together write the same file. */
function writeCache(path, data) {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, data);
  renameSync(aside, path);
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
