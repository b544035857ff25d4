/** `buildout`: software put together by zc.buildout (3006.16 salt/states/zcbuildout.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { keptBy } from './module/conditions.ts';
import { installedParts, partChanges } from './state/parts.ts';
import { defineState } from '../shared/state-function.ts';

const flag = (doc: string) => param.value({ default: false, type: 'bool', doc });

/** The states of `buildout`. */
export const buildoutStates = defineModule({
  name: 'buildout',
  file: 'zcbuildout',
  doc: 'Software put together by zc.buildout.',
  functions: {
    installed: defineState({
      doc: 'Begins and runs a buildout.',
      params: {
        name: param.text({ doc: 'The folder of the buildout.' }),
        config: param.value({ default: 'buildout.cfg', type: 'str', doc: 'The configuration.' }),
        quiet: param.flag({ default: false, doc: 'Do not tell what it says.' }),
        parts: param.value({ default: null, type: 'list', doc: 'Only these parts.' }),
        user: param.textOrNone({ default: null, account: 'user', doc: 'The user.' }),
        env: param.value({ default: null, type: 'dict', doc: 'Variables of the programs.' }),
        buildout_ver: param.value({ default: null, type: 'int', doc: "Buildout's version: 1 or 2." }),
        test_release: flag('Also versions that are being tried.'),
        distribute: param.value({
          default: null,
          type: 'bool',
          doc: 'Use distribute where setuptools is old.',
        }),
        new_st: param.value({ default: null, type: 'bool', doc: 'Use setuptools.' }),
        offline: flag('Fetch nothing.'),
        newest: flag('Look for the newest versions.'),
        python: param.value({ default: 'python3', type: 'str', doc: 'The Python that runs it.' }),
        debug: flag('Say what goes wrong within.'),
        verbose: flag('Say more.'),
        unless: param.value({
          default: null,
          type: 'str or bool',
          doc: 'Nothing is done where this command ends well.',
        }),
        onlyif: param.value({
          default: null,
          type: 'str or bool',
          doc: 'Nothing is done unless this command ends well.',
        }),
        use_vt: flag('Without effect: no terminal is made.'),
        loglevel: param.value({ default: 'debug', type: 'str', doc: 'Without effect.' }),
      },
      kwargs: 'kwargs',
      run: async (ctx, { name, quiet, user, ...wanted }, kwargs) => {
        if (kwargs.has('group')) ctx.log.warning("Passing 'group' is deprecated, just remove it");
        const { onlyif, unless, env } = wanted;
        const common = {
          directory: name,
          runas: user,
          onlyif,
          unless,
          env,
        };
        // Salt compat: Salt runs the buildout in test mode, too
        if (ctx.state.test) {
          const kept = await keptBy(ctx, common);
          const [result, comment] =
            kept === undefined ? [null, `The buildout in ${name} would be run`] : [true, kept];
          return { changes: dict(), result, name, comment };
        }
        const before = installedParts(name);
        const said = await ctx.functions.call('buildout.buildout', [], {
          directory: name,
          runas: user ?? null,
          ...wanted,
        });
        const field = (key: string): Value => (isDict(said) ? (said.get(key) ?? null) : null);
        const shown = quiet ? ['comment'] : ['comment', 'out', 'outlog'];
        const texts = shown.map(field).filter((text) => truthy(text));
        const comment = texts.map((text) => `\n${pyStr(text)}`).join('');
        // Salt compat: Salt never tells of a change
        const changes = partChanges(before, installedParts(name));
        return { changes, result: truthy(field('status')), name, comment };
      },
    }),
  },
});
