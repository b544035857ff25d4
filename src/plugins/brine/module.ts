/** `brine`: the version of this minion, and how it becomes another one (docs/internals/upgrade.md). */
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { goBack, status, upgrade, versions } from './module/upgrade.ts';

const TEST = param.flag({ default: false, doc: 'Say what would be done, and do nothing.' });

/** The functions of `brine`. */
export const brineModule = defineModule({
  name: 'brine',
  file: 'brine',
  doc: 'The version of this minion, and how it becomes another one.',
  functions: {
    version: defineFunction({
      doc: 'Tells which version runs, and which others lie beside it.',
      params: {},
      returns: 'a mapping: version, current, versions, node',
      examples: ["salt '*' brine.version"],
      run: () => versions(),
    }),
    upgrade: defineFunction({
      doc: 'Brings a version from the file server, has it prove that it works, and puts it in the place of this one. It is watched for a while; when it fails, this version comes back by itself. Jobs under way go on.',
      params: {
        version: param.textOrNone({ default: null, doc: 'Which one; the newest where none is named.' }),
        test: TEST,
        allow_downgrade: param.flag({
          default: false,
          doc: 'Also take a version that is older than this one.',
        }),
      },
      returns: 'a mapping: result, from, to, step, comment, away_s',
      examples: ["salt '*' brine.upgrade", "salt '*' brine.upgrade version=1.2.0 test=True"],
      run: (ctx, { version, test, allow_downgrade }) =>
        upgrade(ctx, { version, isTest: test, allowsOlder: allow_downgrade }),
    }),
    upgrade_status: defineFunction({
      doc: 'Tells whether a version is on trial, and what became of the last one.',
      params: {},
      returns: 'a mapping: trial and outcome, each None where there is none',
      examples: ["salt '*' brine.upgrade_status"],
      run: () => status(),
    }),
    go_back: defineFunction({
      doc: 'Puts a version that lies on this machine in the place of this one, with the same trial as an upgrade.',
      params: {
        version: param.textOrNone({
          default: null,
          doc: 'Which one; where none is named, the one from which the last upgrade came.',
        }),
        test: TEST,
      },
      returns: 'a mapping: result, from, to, step, comment, away_s',
      examples: ["salt '*' brine.go_back"],
      run: (ctx, { version, test }) => goBack(ctx, { version, isTest: test }),
    }),
  },
});
