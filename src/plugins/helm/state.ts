/** `helm`: repositories of charts, and releases in Kubernetes (3006.16 salt/states/helm.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'A name of the state.' }) } as const;
const RELEASE = { name: param.text({ doc: 'The release.' }) } as const;
const NAMESPACE = { namespace: param.value({ default: null, type: 'str', doc: 'The namespace.' }) } as const;
const OPTIONS = {
  flags: param.value({ default: null, type: 'list', doc: 'Options of helm without a value.' }),
  kvflags: param.value({ default: null, type: 'dict', doc: 'Options of helm with their values.' }),
} as const;

const ask = (ctx: StateContext, fun: string, keywords: Dict): Promise<Value> =>
  ctx.functions.call(`helm.${fun}`, [], keywords);

/** The state with what is told of the release, without its manifest. */
async function shown(ctx: StateContext, name: string, namespace: Value): Promise<StateResult> {
  const now = await ask(ctx, 'status', dict({ release: name, namespace }));
  if (!isDict(now)) return failure(name, now);
  return outcome(
    name,
    true,
    `Helm release ${name} is present`,
    new Map([...now].filter(([key]) => key !== 'manifest')),
  );
}

/** The states of `helm`. */
export const helmStates = defineModule({
  name: 'helm',
  file: 'helm',
  doc: 'Repositories of charts, and releases in Kubernetes.',
  functions: {
    repo_managed: defineState({
      doc: 'Makes sure that repositories of charts are there, and others not.',
      params: {
        ...NAME,
        present: param.value({
          default: null,
          type: 'list',
          doc: 'Those that are to be there, each with name and url.',
        }),
        absent: param.value({ default: null, type: 'list of str', doc: 'Those that are not to be there.' }),
        prune: param.value({ default: false, type: 'bool', doc: 'Remove all others.' }),
        repo_update: param.flag({
          default: false,
          doc: 'Learn what is in them where something has changed.',
        }),
        ...NAMESPACE,
        ...OPTIONS,
      },
      run: async (ctx, { name, repo_update, ...wish }) => {
        if (ctx.state.test) return outcome(name, null, 'Helm repo would have been managed.');
        const { namespace, flags, kvflags } = wish;
        try {
          const managed = await ask(ctx, 'repo_manage', dict(wish));
          const result: Dict = isDict(managed) ? managed : dict();
          if (truthy(result.get('failed')))
            return outcome(name, false, 'Failed to add or remove some repositories.', result);
          if (!truthy(result.get('added')) && !truthy(result.get('removed')))
            return outcome(name, true, 'Helm repo is managed.');
          if (repo_update)
            result.set('repo_update', await ask(ctx, 'repo_update', dict({ namespace, flags, kvflags })));
          return outcome(name, true, 'Repositories were added or removed.', result);
        } catch (error) {
          if (!(error instanceof CommandExecutionError)) throw error;
          return failure(name, `Failed to add some repositories: ${error.message}.`);
        }
      },
    }),
    repo_updated: defineState({
      doc: 'Brings what is known of the repositories up to date.',
      params: { ...NAME, ...NAMESPACE, ...OPTIONS },
      run: async (ctx, { name, ...options }) => {
        if (ctx.state.test) return outcome(name, null, 'Helm repo would have been updated.');
        const done = await ask(ctx, 'repo_update', dict(options));
        return done === true
          ? outcome(name, true, 'Helm repo is updated.')
          : failure(name, `Failed to sync some repositories: ${pyStr(done)}`);
      },
    }),
    release_present: defineState({
      doc: 'Makes sure that a release is installed and up to date.',
      params: {
        ...RELEASE,
        chart: param.value({ type: 'str', doc: 'The chart.' }),
        values: param.value({ default: null, type: 'str', doc: 'A file of values.' }),
        version: param.value({ default: null, type: 'str', doc: 'The version of the chart.' }),
        ...NAMESPACE,
        set: param.value({
          default: null,
          type: 'str or list',
          doc: 'A value: key=value, or a list of these.',
        }),
        ...OPTIONS,
      },
      run: async (ctx, { name, ...wanted }) => {
        if (ctx.state.test) return outcome(name, null, 'Helm release would have been installed or updated.');
        const { namespace } = wanted;
        const old = await ask(ctx, 'status', dict({ release: name, namespace }));
        const fun = isDict(old) ? 'upgrade' : 'install';
        const done = await ask(ctx, fun, dict({ release: name, ...wanted }));
        return done === true ? shown(ctx, name, namespace) : failure(name, done);
      },
    }),
    release_absent: defineState({
      doc: 'Makes sure that a release is not there.',
      params: { ...RELEASE, ...NAMESPACE, ...OPTIONS },
      run: async (ctx, { name, namespace, flags, kvflags }) => {
        if (ctx.state.test) return outcome(name, null, 'Helm release would have been uninstalled.');
        const comment = `Helm release ${name} is absent.`;
        const old = await ask(ctx, 'status', dict({ release: name, namespace }));
        if (!isDict(old)) return outcome(name, true, comment);
        const done = await ask(ctx, 'uninstall', dict({ release: name, namespace, flags, kvflags }));
        return done === true ? outcome(name, true, comment, dict({ absent: name })) : failure(name, done);
      },
    }),
  },
});
