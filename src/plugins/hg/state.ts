/** `hg`: repositories of Mercurial (3006.16 salt/states/hg.py). */
import { readdirSync, rmSync } from 'node:fs';
import { BrineError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { isAbs, isDir, pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { textIfSaid } from '../shared/optional-params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const LATEST = {
  name: param.text({ doc: 'Where the repository comes from.' }),
  rev: textIfSaid('The revision; the newest without it.'),
  target: textIfSaid('The folder that it goes into.'),
  clean: param.flag({ default: false, doc: 'Lose what was changed.' }),
  user: param.value({ default: null, type: 'str', account: 'user', doc: 'Who runs hg.' }),
  identity: param.value({ default: null, type: 'str', doc: 'The private key for SSH.' }),
  force: param.flag({ default: false, doc: 'Clone into a folder that has something else.' }),
  opts: param.value({ default: false, type: 'str', doc: 'Further words for hg.' }),
  update_head: param.unlessFalse({
    default: true,
    doc: 'Change the files of a repository that is there.',
  }),
} as const;
type Wanted = Omit<TypedArguments<typeof LATEST>, 'target'> & { readonly target: string };

async function ask(ctx: StateContext, fun: string, args: readonly Value[], keywords: Dict): Promise<string> {
  return pyStr(await ctx.functions.call(`hg.${fun}`, args, keywords));
}

async function update(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, target, user, identity, opts } = wanted;
  const current = await ask(ctx, 'revision', [target], dict({ user, rev: '.' }));
  if (current === '') return outcome(name, false, `Seems that ${target} is not a valid hg repo`);
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `Repository ${target} update is probably required (current revision is ${current})`,
    );
  const pulled = await ask(ctx, 'pull', [target], dict({ user, identity, opts, repository: name }));
  if (!wanted.update_head)
    return outcome(
      name,
      true,
      pulled.includes('no changes found')
        ? 'No changes found and update_head=False so will skip updating.'
        : 'Update is probably required but update_head=False so we will skip updating.',
    );
  await ask(ctx, 'update', [target, wanted.rev ?? 'tip'], dict({ force: wanted.clean, user }));
  const now = await ask(ctx, 'revision', [target], dict({ user, rev: '.' }));
  if (current !== now)
    return outcome(name, true, `Repository ${target} updated.`, dict({ revision: `${current} => ${now}` }));
  return pulled.includes('error:')
    ? outcome(name, false, `An error was thrown by hg:\n${pulled}`)
    : outcome(name, true, '');
}

async function clone(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, target, user, identity, opts, rev } = wanted;
  if (isDir(target) && readdirSync(target).length > 0 && !wanted.force)
    return outcome(name, false, 'Directory exists, and is not empty');
  if (ctx.state.test && isAbs(name) && !pathExists(name) && !mayBeMade(ctx, name))
    return outcome(name, false, `There is no repository ${name}`);
  if (ctx.state.test) return outcome(name, null, `Repository ${name} is about to be cloned to ${target}`);
  // Salt compat: Salt removes the folder in test mode, too.
  if (isDir(target)) rmSync(target, { recursive: true });
  const said = await ask(ctx, 'clone', [target, name], dict({ user, identity, opts }));
  if (!isDir(target)) return outcome(name, false, said);
  if (rev !== undefined) await ask(ctx, 'update', [target, rev], dict({ user }));
  const now = await ask(ctx, 'revision', [], dict({ cwd: target, user }));
  return outcome(name, true, `Repository ${name} cloned to ${target}`, dict({ new: name, revision: now }));
}

/** The states of `hg`. */
export const hgStates = defineModule({
  name: 'hg',
  file: 'hg',
  doc: 'Repositories of Mercurial.',
  unavailable: () => (findProgram('hg') === undefined ? 'Command hg not found' : undefined),
  functions: {
    latest: defineState({
      doc: 'Makes sure that a repository is cloned and at a revision.',
      params: LATEST,
      run: async (ctx, { target, ...given }) => {
        if (target === undefined) return outcome(given.name, false, '"target option is required');
        const wanted = { ...given, target };
        try {
          return await (isDir(`${target}/.hg`) ? update(ctx, wanted) : clone(ctx, wanted));
        } catch (error) {
          if (!(error instanceof BrineError)) throw error;
          return outcome(given.name, false, error.message);
        }
      },
    }),
  },
});
