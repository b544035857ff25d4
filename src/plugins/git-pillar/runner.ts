/** `git_pillar.*`: the repositories of pillar (salt/runners/git_pillar.py, 3006.16). */
import { configuredPillarRemotes } from '../../storage/git/pillar-remote.ts';
import { repositoriesFolder } from '../../storage/git/repository.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Dict } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineRunner, defineRunners, type RunnerContext } from '../shared/runner/runner.ts';

/** The git_pillar runner. */
export const gitPillarRunners = defineRunners({
  name: 'git_pillar',
  doc: 'The repositories that pillar comes from.',
  failsWith: { within: ['update'] },
  functions: {
    update: defineRunner({
      doc: 'Fetches the repositories of the `git` entries of `ext_pillar`, whether or not their interval has passed.',
      params: {
        branch: param.textOrNone({ default: null, doc: 'Only those of this branch.' }),
        repo: param.textOrNone({ default: null, doc: 'Only those of this address, or of this name.' }),
      },
      returns:
        'mapping of each repository to True when there was something new, None when there was not, False when it could not be fetched',
      examples: [
        'salt-run git_pillar.update',
        "salt-run git_pillar.update branch='branch' repo='https://foo.com/bar.git'",
      ],
      run: (ctx, { branch, repo }) => update(ctx, { branch, repo }),
    }),
  },
});

async function update(
  { opts, clock, random, log }: RunnerContext,
  { branch, repo }: { readonly branch: string | undefined; readonly repo: string | undefined },
): Promise<Dict> {
  const folder = repositoriesFolder(opts.get('cachedir'));
  const all = configuredPillarRemotes(opts.get('ext_pillar'), { opts: opts.toDict(), folder, clock, random });
  const wanted = {
    ...(branch === undefined ? {} : { branch }),
    ...(repo === undefined ? {} : { repo }),
  };
  const remotes = all.filter((remote) => remote.isMeant(wanted));
  if (remotes.length === 0) throw new CommandExecutionError(nothingFound(wanted, all));
  const out: Dict = new Map();
  for (const { id, repository } of remotes) {
    const fetched = await repository.fetch();
    if (fetched?.fault !== undefined)
      log.error(`The remote ${id} of git_pillar could not be fetched: ${fetched.fault}`);
    out.set(id, fetched?.fault === undefined ? fetched?.isChanged === true || null : false);
  }
  return out;
}

function nothingFound(
  { branch, repo }: { readonly branch?: string; readonly repo?: string },
  all: readonly { readonly id: string }[],
): string {
  if (all.length === 0) return 'No git_pillar remotes are configured: add git to ext_pillar.';
  const asked = [branch === undefined ? '' : ` branch ${branch}`, repo === undefined ? '' : ` repo ${repo}`];
  return `Specified git branch/repo not found in ext_pillar config:${asked.join('')}. It has ${all.map(({ id }) => id).join(', ')}.`;
}
