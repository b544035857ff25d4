/**
 * A Mercurial repository as this machine keeps it: a clone without files, and the trees of changesets as folders that
 * never change.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../host/clock.ts';
import { safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Random } from '../../host/random.ts';
import { RemoteCopy } from './copy.ts';
import { runClient, type ClientProgram } from './run-client.ts';
import { Trees } from './trees.ts';

const HG: ClientProgram = { name: 'hg', package: 'mercurial' };

/** One line for each changeset that has a name; only a head stands for its branch. */
const NAMES_TEMPLATE =
  "{node}\\0{if(get(extras, 'close'), 'closed', ifcontains(rev, revset('head()'), 'open', 'inner'))}\\0{branch}\\0" +
  "{join(bookmarks, '\\t')}\\0{join(tags, '\\t')}\\n";

const namesOf = (joined: string): string[] => joined.split('\t').filter((name) => name !== '');

/** What a repository is made of. */
export interface HgRepositoryDeps {
  /** Where copies lie. */
  readonly folder: string;
  /** With user and password, if it has them. */
  readonly url: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** One repository. Its state has changesets by `branches/<name>`, `bookmarks/<name>` and `tags/<name>`. */
export class HgRepository extends RemoteCopy {
  readonly #deps: HgRepositoryDeps;
  readonly #trees: Trees;

  constructor(deps: HgRepositoryDeps) {
    const name = createHash('sha256').update(deps.url).digest('hex').slice(0, 32);
    super(safeJoin(deps.folder, name), deps.clock);
    this.#deps = deps;
    const { clock, random } = deps;
    this.#trees = new Trees({ folder: join(this.folder, 'trees'), clock, random });
  }

  get #repository(): string {
    return join(this.folder, 'repository');
  }

  protected async pull(): Promise<ReadonlyMap<string, string>> {
    const settings = join(this.#repository, '.hg', 'hgrc');
    if (!existsSync(join(this.#repository, '.hg', 'requires'))) {
      rmSync(this.#repository, { recursive: true, force: true }); // what a crash has left
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      await this.#hg(['init', '--', this.#repository]);
    }
    // the address may hold a password, which everybody could read among the arguments
    writeFileAtomic(settings, `[paths]\ndefault = ${this.#deps.url}\n`, { mode: 0o600 });
    await this.#hg(['pull', '--quiet', ...this.#here]);
    return this.#names();
  }

  protected override tidy(refs: ReadonlyMap<string, string>): void {
    this.#trees.forget(new Set(refs.values()));
  }

  /** The tips of open branches, bookmarks, and tags without `tip`, which is no name of anybody's. */
  async #names(): Promise<Map<string, string>> {
    const asked = ['--rev', 'head() or bookmark() or tag()', '--template', NAMES_TEMPLATE];
    const out = new Map<string, string>();
    // ascending, so that of the heads of a branch the newest counts
    for (const line of (await this.#hg(['log', ...asked, ...this.#here])).split('\n')) {
      const [node = '', isOpen, branch = '', bookmarks = '', tags = ''] = line.split('\0');
      if (node === '') continue;
      if (isOpen === 'open') out.set(`branches/${branch}`, node);
      for (const name of namesOf(bookmarks)) out.set(`bookmarks/${name}`, node);
      for (const name of namesOf(tags)) if (name !== 'tip') out.set(`tags/${name}`, node);
    }
    return out;
  }

  get #here(): string[] {
    return ['--repository', this.#repository];
  }

  /**
   * The files of a changeset as a folder.
   * @param node forty hexadecimal digits
   * @param root a folder of the repository; '' for the whole
   * @returns undefined when there is no such folder in it
   * @throws ClientError when it cannot be made
   */
  async tree(node: string, root: string): Promise<string | undefined> {
    const whole = await this.#trees.get(
      node,
      (draft) => this.#export(node, draft),
      () => this.#named(),
    );
    if (whole === undefined || root === '') return whole;
    const part = safeJoin(whole, root);
    return existsSync(part) ? part : undefined;
  }

  #named(): ReadonlySet<string> {
    return new Set(this.state().refs.values());
  }

  async #export(node: string, draft: string): Promise<boolean> {
    const words = ['--config', 'ui.archivemeta=false', '--rev', node, '--type', 'files'];
    await this.#hg(['archive', ...words, ...this.#here, '--', draft]);
    return true;
  }

  #hg(words: readonly string[]): Promise<string> {
    return runClient(HG, ['--noninteractive', ...words], {
      clock: this.#deps.clock,
      env: { HGPLAIN: '1', HGENCODING: 'utf-8' },
    });
  }
}
