/**
 * Loading a file of a custom module: TypeScript and modern JavaScript are turned into what Node runs, keeping every
 * line in its place, and `import … from 'brine'` gives the interface of this very program.
 */
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { compileFunction, constants } from 'node:vm';
import { messageOf } from '../../errors/errors.ts';
import { brineApi } from './api.ts';
import { SOURCE_ENDINGS } from './folder.ts';

/** Turns TypeScript into CommonJS; `sucrase` in a bundle of its own, which only those pay for who have such modules. */
export type Compile = (source: string, path: string) => string;

/** What a file exports. */
export type Exports = Readonly<Record<string, unknown>>;

type CompiledBody = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

/** Loads files, each once as long as it stays the same. */
export class FileLoader {
  readonly #compile: Compile;
  readonly #loaded = new Map<string, { exports: object }>();

  constructor(compile: Compile = programCompiler()) {
    this.#compile = compile;
  }

  /** @throws what the file throws while it is loaded, SyntaxError with the file's name and line */
  load(path: string): Exports {
    const known = this.#loaded.get(path);
    if (known !== undefined) return known.exports as Exports;
    const module = { exports: {} };
    this.#loaded.set(path, module); // two files that import each other see what is there so far, as in Node
    try {
      if (path.endsWith('.json')) module.exports = JSON.parse(readFileSync(path, 'utf8')) as object;
      else this.#body(path)(module.exports, (name) => this.#import(path, name), module, path, dirname(path));
    } catch (error) {
      this.#loaded.delete(path);
      throw error;
    }
    return module.exports;
  }

  #body(path: string): CompiledBody {
    const code = this.#compile(readFileSync(path, 'utf8'), path);
    return compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'], {
      filename: path,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }) as CompiledBody;
  }

  #import(from: string, name: string): unknown {
    if (OWN_NAMES.has(name)) return brineApi;
    if (!name.startsWith('./') && !name.startsWith('../')) return createRequire(from)(name);
    const path = sourceAt(resolve(dirname(from), name));
    if (path === undefined) throw new Error(`${from} imports ${name}, which does not exist.`);
    return this.load(path);
  }
}

/** What gives the interface: the name in every guide, and the one that the package has. */
const OWN_NAMES: ReadonlySet<string> = new Set(['brine', '@brine-project/brine']);

/**
 * The file behind a name, which may lack its ending, or have the one that it will have as JavaScript. In the file roots
 * the folders of kinds have an underscore (`_utils`), once synced they have none: a name finds both.
 */
function sourceAt(path: string): string | undefined {
  const [folder, file] = [dirname(path), basename(path)];
  const other = basename(folder).startsWith('_') ? basename(folder).slice(1) : `_${basename(folder)}`;
  const bare = file.replace(/\.[cm]?js$/, '');
  const names = [file, ...[...SOURCE_ENDINGS, '.json'].flatMap((ending) => [file + ending, bare + ending])];
  return [folder, join(dirname(folder), other)]
    .flatMap((place) => names.map((name) => join(place, name)))
    .find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
}

/** The compiler that lies beside the program. */
function programCompiler(script = join(import.meta.dirname, 'extension-compiler.cjs')): Compile {
  let transform: ((code: string, options: object) => { code: string }) | undefined;
  return (source, path) => {
    transform ??= (createRequire(script)(script) as { transform: typeof transform }).transform;
    const transforms = /\.[cm]?ts$/.test(path) ? ['typescript', 'imports'] : ['imports'];
    if (path.endsWith('.cjs')) return source;
    try {
      return (transform as NonNullable<typeof transform>)(source, {
        transforms,
        disableESTransforms: true,
        preserveDynamicImport: true,
        filePath: path,
      }).code;
    } catch (cause) {
      throw new SyntaxError(messageOf(cause).replace(`Error transforming ${path}: `, ''), { cause });
    }
  };
}
