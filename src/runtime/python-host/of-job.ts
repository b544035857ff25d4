/**
 * The Python process of a job's modules, for what renders its files: SLS in `#!py` and modules hand each other anything
 * there.
 */
import type { PythonModules } from './python-modules.ts';

/** Gives it, having loaded what it takes. */
export type OpenPython = () => PythonModules | Promise<PythonModules>;

/** A job's files and modules are looked after in parts of the program that know nothing of each other but the job. */
const ofJobs = new WeakMap<object, OpenPython>();

/** Says where a job's modules run in Python. */
export function sharePython(job: object, source: OpenPython | undefined): void {
  if (source !== undefined) ofJobs.set(job, source);
}

/** Where a job's modules run in Python; undefined for what has no modules, or none of its own. */
export function sharedPython(job: object): OpenPython | undefined {
  return ofJobs.get(job);
}
