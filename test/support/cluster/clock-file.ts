/**
 * Clocks of programs that a test sets wrong, by the library faketime where it is installed; the time since their start
 * stays right.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';

/** Where Debian has it, by architecture. */
const LIBRARIES = '/usr/lib';
const LIBRARY = 'faketime/libfaketimeMT.so.1';

/** A clock that programs started with {@link env} go by. */
export class ClockFile {
  readonly env: NodeJS.ProcessEnv;
  readonly #path: string;

  private constructor(path: string, library: string) {
    this.#path = path;
    this.env = {
      ...process.env,
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // of older versions
      DONT_FAKE_MONOTONIC: '1',
    };
    this.set(0);
  }

  /** @returns undefined where the library is not installed */
  static at(path: string): ClockFile | undefined {
    const library = readdirSync(LIBRARIES)
      .map((name) => `${LIBRARIES}/${name}/${LIBRARY}`)
      .find(existsSync);
    return library === undefined ? undefined : new ClockFile(path, library);
  }

  /** @param aheadSeconds of the right time; negative is behind */
  set(aheadSeconds: number): void {
    writeFileSync(this.#path, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}s`);
  }
}
