/** `pdbedit`: accounts of Samba. Follows 3006.16 salt/modules/pdbedit.py. */
import { findProgram } from '../../host/which.ts';
import { dict } from '../../python/values/value.ts';
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  accountOf,
  accountsOf,
  createAccount,
  hasAccount,
  modifyAccount,
  namesOf,
} from './module/accounts.ts';
import { ntHash } from './module/nt-hash.ts';
import { runAll } from '../shared/program.ts';

const LOGIN = { login: param.text({ doc: 'The account.' }) } as const;
const HASHES = { hashes: param.flag({ default: false, doc: 'With the hashes of passwords.' }) } as const;
const HASHED = param.flag({ default: false, doc: 'The password is such a hash.' });
const said = (doc: string): { type: string; default: null; doc: string } =>
  param.value({
    type: 'str',
    default: null,
    doc,
  });

/** What an account can be given. */
export const ACCOUNT = {
  password: param.textIfGiven({ default: null, doc: 'The password.' }),
  password_hashed: HASHED,
  domain: said('The domain.'),
  profile: said('The path of the profile.'),
  script: said('The script that runs at a log-in.'),
  drive: said('The drive of the home folder.'),
  homedir: said('The home folder.'),
  fullname: said('The full name.'),
  account_desc: said('A description.'),
  account_control: said('Flags of the account: N, D, H, L, X.'),
  machine_sid: said('The SID of the primary group.'),
  user_sid: said('The SID of the user.'),
  reset_login_hours: param.flag({ default: false, doc: 'Allow log-ins at all hours.' }),
  reset_bad_password_count: param.flag({ default: false, doc: 'Forget wrong passwords.' }),
} as const;

/** The module. */
export const pdbeditModule = defineModule({
  name: 'pdbedit',
  file: 'pdbedit',
  doc: 'Accounts of Samba, by pdbedit.',
  words: { dashes: ['password', ...Object.keys(ACCOUNT)] },
  unavailable: () => (findProgram('pdbedit') === undefined ? 'pdbedit command is not available' : undefined),
  functions: {
    generate_nt_hash: defineFunction({
      doc: 'Returns the hash of a password as Windows keeps it.',
      params: { password: param.text({ doc: 'The password.' }) },
      returns: 'text, as bytes',
      examples: ["salt '*' pdbedit.generate_nt_hash my_passwd"],
      run: (_ctx, { password }) => Buffer.from(ntHash(password)),
    }),
    list: defineFunction({
      doc: 'Lists accounts.',
      params: { verbose: param.flag({ default: true, doc: 'All that is known of them.' }), ...HASHES },
      returns: 'mapping of names to mappings; without verbose a list of names',
      examples: ["salt '*' pdbedit.list"],
      pythonName: 'list_users',
      run: (ctx, { verbose, hashes }) => (verbose ? accountsOf(ctx, hashes) : namesOf(ctx)),
    }),
    get: defineFunction({
      doc: 'Returns what is known of an account.',
      params: { ...LOGIN, ...HASHES },
      returns: 'mapping; empty where there is none',
      examples: ["salt '*' pdbedit.get kaylee"],
      pythonName: 'get_user',
      run: (ctx, { login, hashes }) => accountOf(ctx, login, hashes),
    }),
    delete: defineFunction({
      doc: 'Deletes an account.',
      params: LOGIN,
      returns: 'mapping of the account to deleted, absent, or what pdbedit says',
      examples: ["salt '*' pdbedit.delete wash"],
      run: async (ctx, { login }) => {
        if (!(await hasAccount(ctx, login))) return dict({ [login]: 'absent' });
        const { retcode, stderr } = await runAll(ctx, ['pdbedit', '--delete', login]);
        return dict({ [login]: retcode > 0 ? stderr : 'deleted' });
      },
    }),
    create: defineFunction({
      doc: 'Makes an account, or gives one that is there a password.',
      params: {
        ...LOGIN,
        password: param.text({ doc: 'The password.' }),
        password_hashed: HASHED,
        machine_account: param.flag({ default: false, doc: 'That of a machine.' }),
      },
      returns: 'mapping of the account to created, updated, unchanged, or what pdbedit says',
      examples: ["salt '*' pdbedit.create zoe 9764951149F84E770889011E1DC4A927 nthash"],
      run: async (ctx, { login, password, password_hashed, machine_account }) => {
        const given = { password, isHashed: password_hashed, isMachine: machine_account };
        return dict({ [login]: await createAccount(ctx, login, given) });
      },
    }),
    modify: defineFunction({
      doc: 'Changes an account; with a password one that is not there is made.',
      params: { ...LOGIN, ...ACCOUNT },
      returns: 'mapping of the account to created, updated, unchanged, absent, or what pdbedit says',
      examples: ["salt '*' pdbedit.modify inara fullname='Inara Serra'"],
      run: async (ctx, { login, ...wanted }) => dict({ [login]: await modifyAccount(ctx, login, wanted) }),
    }),
  },
});
