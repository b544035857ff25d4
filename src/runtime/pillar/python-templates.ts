/** SLS in `#!py` and templates of the kind `py` (3006.16 salt/renderers/py.py, salt/utils/templates.py `py`). */
import { existsSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { PythonError } from '../../python/exceptions.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { pythonFiles } from '../extensions/folder.ts';
import { templateCaller } from '../python-host/callers.ts';
import { sharedPython, type OpenPython } from '../python-host/of-job.ts';
import { PythonFileError, PythonModules } from '../python-host/python-modules.ts';
import { SaltRenderError, textOf, type RenderContext, type Renderer } from '../renderers/renderer.ts';

/** A process without work ends after this time. */
const IDLE_MS = 60_000;
/** What the pipe tells of a file is no variable of it. */
const SEEN_ANYWAY: ReadonlySet<string> = new Set(['grains', 'pillar', 'opts']);

/** What renders files in Python is made of. */
export interface PythonTemplatesDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** The process of a job's modules, which is the files' too; default: one of their own. */
  readonly shared?: OpenPython | undefined;
}

/**
 * Renders files in Python: in the process of the job's modules or, where there is none, in one that is started for the
 * first file and ends when there are no more.
 */
export class PythonTemplates implements Renderer {
  readonly name = 'py';
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #shared: OpenPython | undefined;
  #own: PythonModules | undefined;
  #idle: Timer | undefined;
  #running = 0;

  constructor({ clock, log, shared }: PythonTemplatesDeps) {
    this.#clock = clock;
    this.#log = log;
    this.#shared = shared;
  }

  /** What they give may be no data, see `PyObject`: there are modules that can make something of it. */
  get keeps(): boolean {
    return this.#shared !== undefined;
  }

  /** Lets something run in the process, which ends some time after the last. */
  async use<T>(work: (python: PythonModules) => Promise<T>): Promise<T> {
    if (this.#shared !== undefined) return work(await this.#shared());
    const { clock, log } = { clock: this.#clock, log: this.#log };
    const python = (this.#own ??= new PythonModules({
      clock,
      log,
      files: pythonFiles,
      limitsFunctions: true,
    }));
    this.#idle?.cancel();
    this.#running++;
    try {
      return await work(python);
    } finally {
      this.#running--;
      if (this.#running === 0) this.#endWhenIdle(python);
    }
  }

  #endWhenIdle(python: PythonModules): void {
    const end = (): void => (python.isBusy ? this.#endWhenIdle(python) : python.close());
    this.#idle = this.#clock.after(IDLE_MS, end, { background: true });
  }

  /**
   * An SLS in Python: the data that its `run()` gives.
   * @throws SaltRenderError with the traceback; PythonFileError when there is no `run()` because the file itself fails
   */
  async render(input: Value, context: RenderContext): Promise<Value> {
    const { saltenv, path } = context;
    const sls = context.sls ?? '';
    if (!existsSync(path)) throw new SaltRenderError(`Template ${path} is not a file!`);
    const place: [Value, Value][] = [
      ['saltenv', saltenv],
      ['__env__', saltenv],
      ['sls', sls],
      ['__sls__', sls],
    ];
    return this.run(textOf(input, this.name), context, place);
  }

  /** What `run()` of a file gives. @param more names that it sees. @throws SaltRenderError, PythonFileError */
  async run(text: string, context: RenderContext, more: readonly [Value, Value][]): Promise<Value> {
    const { path, variables, functions } = context;
    const mapping = (name: string): Dict => {
      const value = variables.get(name) as Value | undefined;
      return isDict(value) ? value : new Map();
    };
    const [opts, grains, pillar] = [mapping('opts'), mapping('grains'), mapping('pillar')];
    const own = [...variables].filter(([name]) => !SEEN_ANYWAY.has(name)) as [Value, Value][];
    const template = {
      path,
      text,
      variables: new Map([...own, ...more]),
      opts,
      grains,
      pillar,
      keeps: this.keeps,
    };
    try {
      return await this.use((python) => python.render(template, templateCaller(functions, this.#log)));
    } catch (error) {
      if (error instanceof PythonFileError) throw error;
      const told = error instanceof PythonError ? error.trace : undefined;
      throw new SaltRenderError(told ?? `${path}: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** One for all the files of a job, and none that outlives it. */
const ofJobs = new WeakMap<object, PythonTemplates>();

/** What renders the files of a job. */
export function pythonTemplatesOf(
  job: object,
  deps: { readonly clock: Clock; readonly log: Logger },
): PythonTemplates {
  const known = ofJobs.get(job) ?? new PythonTemplates({ ...deps, shared: sharedPython(job) });
  ofJobs.set(job, known);
  return known;
}
