/** A Subversion repository as this machine keeps it: a working copy of the whole, which is updated in its place. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import type { Secret } from '../../host/secret.ts';
import { RemoteCopy } from './copy.ts';
import { ClientError, runClient, type ClientProgram } from './run-client.ts';

const SVN: ClientProgram = { name: 'svn', package: 'subversion' };

/** What Subversion says of a working copy that a killed process has left. */
const LEFT_LOCKED = /E1550(?:04|37)/;

/** What a working copy is made of. */
export interface SvnCheckoutDeps {
  /** Where copies lie. */
  readonly folder: string;
  /** Without user and password. */
  readonly url: string;
  readonly user: string;
  readonly password: Secret;
  readonly clock: Clock;
}

/** One working copy. Its state has the number of its `revision`. */
export class SvnCheckout extends RemoteCopy {
  readonly #deps: SvnCheckoutDeps;

  constructor(deps: SvnCheckoutDeps) {
    const name = createHash('sha256').update(`${deps.url}\0${deps.user}`).digest('hex').slice(0, 32);
    super(safeJoin(deps.folder, name), deps.clock);
    this.#deps = deps;
  }

  /** The files of the last fetch. */
  get files(): string {
    return join(this.folder, 'files');
  }

  protected async pull(): Promise<ReadonlyMap<string, string>> {
    if (existsSync(join(this.files, '.svn'))) await this.#update();
    else await this.#svn(['checkout', '--quiet', '--', withoutPeg(this.#deps.url), this.files], true);
    const revision = await this.#svn(['info', '--show-item', 'revision', '--', this.files]);
    return new Map([['revision', revision.trim()]]);
  }

  async #update(): Promise<void> {
    const update = (): Promise<string> =>
      this.#svn(['update', '--quiet', '--accept', 'theirs-full', '--', this.files], true);
    try {
      await update();
    } catch (error) {
      if (!(error instanceof ClientError) || !LEFT_LOCKED.test(error.message)) throw error;
      await this.#svn(['cleanup', '--', this.files]);
      await update();
    }
  }

  #svn(words: readonly string[], isRemote = false): Promise<string> {
    const { clock, user, password } = this.#deps;
    const how = ['--non-interactive', '--no-auth-cache'];
    const isNamed = isRemote && user !== '';
    if (isNamed) how.push('--username', user, '--password-from-stdin');
    const [command = '', ...rest] = words;
    return runClient(SVN, [command, ...(command === 'cleanup' ? ['--non-interactive'] : how), ...rest], {
      clock,
      env: {},
      ...(isNamed ? { stdin: `${password.reveal()}\n` } : {}),
    });
  }
}

/** What stands behind the last `@` of an address would be taken for a revision. */
const withoutPeg = (url: string): string => (url.includes('@') ? `${url}@` : url);
