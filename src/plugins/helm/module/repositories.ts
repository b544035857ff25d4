/** `helm.repo_manage`: which repositories of charts there are. Follows 3006.16 salt/modules/helm.py. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { helmData, helmDone, listIn, operandOf, withOptions, type HelmOptions } from './run.ts';

/** What is wanted. */
export interface RepositoryWish extends HelmOptions {
  /** Mappings of name and url. */
  readonly present: readonly Value[];
  readonly absent: readonly Value[];
  readonly prune: boolean;
  readonly namespace: string | undefined;
}

/** One repository or a list of them. @throws CommandExecutionError for anything else */
export const repositoriesIn = (value: Value): readonly Value[] =>
  Array.isArray(value) || !truthy(value) ? listIn(value, 'present') : [value];

/** Adds and removes repositories. @returns present, added, absent, removed and failed */
export async function manageRepositories(ctx: ModuleContext, wish: RepositoryWish): Promise<Dict> {
  const { flags, namespace } = wish;
  const options = { flags, kvflags: withOptions(wish.kvflags, { namespace }) };
  const [present, added, absent, removed, failed]: Value[][] = [[], [], [], [], []];
  const found = await helmData(ctx, { words: ['repo', 'list'], operands: [], ...options });
  const others = (Array.isArray(found) ? found : []).filter(isDict);
  for (const wanted of wish.present) {
    if (!isDict(wanted) || !wanted.has('name') || !wanted.has('url'))
      throw new CommandExecutionError(
        "Parameter present have to be formatted like [{'name': '<myRepoName>', 'url': '<myRepoUrl>'}]",
      );
    const [name, url] = [wanted.get('name') ?? null, wanted.get('url') ?? null];
    const at = others.findIndex(
      (each) => valuesEqual(each.get('name') ?? null, name) && valuesEqual(each.get('url') ?? null, url),
    );
    if (at >= 0) {
      others.splice(at, 1);
      present?.push(wanted);
      continue;
    }
    const done = await helmDone(ctx, {
      words: ['repo', 'add'],
      operands: [name, url].map(operandOf),
      ...options,
    });
    (done === true ? added : failed)?.push(wanted);
  }
  const unwanted: Value[] = [...wish.absent];
  for (const each of others) {
    const name = each.get('name') ?? null;
    if (wish.prune) unwanted.push(name);
    else if (!unwanted.some((other) => valuesEqual(other, name))) present?.push(each);
  }
  for (const name of unwanted) {
    const kvflags = withOptions(dict(), { namespace });
    const done = await helmDone(ctx, {
      words: ['repo', 'remove'],
      operands: [operandOf(name)],
      flags: [],
      kvflags,
    });
    (done === true ? removed : absent)?.push(name);
  }
  return dict({ present, added, absent, removed, failed });
}
