/** `postgres_privileges`: who may do what in PostgreSQL (3006.16 salt/states/postgres_privileges.py). */
import { truthy } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  forgetTroubles,
  nameOf,
  placeKeywords,
  PLACE_AND_DATABASE,
  postgres,
  switched,
  withoutPostgres,
  type Place,
} from './state/parts.ts';

interface WantedPrivileges extends Place {
  readonly name: string;
  readonly object_name: string;
  readonly object_type: string;
  readonly privileges: readonly string[] | undefined;
  readonly prepend: string;
  readonly grant_option?: boolean;
}

async function privileges(
  ctx: StateContext,
  wanted: WantedPrivileges,
  isWanted: boolean,
): Promise<StateResult> {
  const { name, object_name, object_type, prepend, grant_option } = wanted;
  forgetTroubles(ctx);
  const given = wanted.privileges?.join(',');
  const shown = object_type === 'group' ? object_name : (given ?? 'None');
  const keywords = {
    privileges: given ?? null,
    ...(isWanted ? { grant_option: grant_option ?? false } : {}),
    prepend,
    ...placeKeywords(wanted),
  };
  const args = [name, object_name, object_type];
  const isHeld = truthy(await postgres(ctx, 'has_privileges', args, keywords));
  const words = isWanted
    ? {
        change: 'Present' as const,
        right: 'The requested privilege(s) are already set',
        foretold: `The privilege(s): ${shown} are set to be granted to ${name}`,
        done: `The privilege(s): ${shown} have been granted to ${name}`,
        failure: `Failed to grant privilege(s): ${shown} to ${name}`,
      }
    : {
        change: 'Absent' as const,
        right: 'The requested privilege(s) are not set so cannot be revoked',
        foretold: `The privilege(s): ${shown} are set to be revoked from ${name}`,
        done: `The privilege(s): ${shown} have been revoked from ${name}`,
        failure: `Failed to revoke privilege(s): ${shown} from ${name}`,
      };
  return switched(ctx, {
    name,
    isRight: isHeld === isWanted,
    ...words,
    run: async () =>
      truthy(await postgres(ctx, isWanted ? 'privileges_grant' : 'privileges_revoke', args, keywords)),
  });
}

const PARAMS = {
  ...nameOf('role'),
  object_name: param.text({ doc: 'What it is about; ALL for all tables or sequences of a schema.' }),
  object_type: param.text({
    doc: 'table (also for views), sequence, schema, tablespace, language, database, group or function.',
  }),
  privileges: param.textsIfGiven({ default: null, doc: 'The privileges; ALL for all. Not for groups.' }),
  prepend: param.text({ default: 'public', doc: 'The schema of a table, a sequence or a function.' }),
  ...PLACE_AND_DATABASE,
} as const;

/** The states of `postgres_privileges`. */
export const postgresPrivilegesStates = defineModule({
  name: 'postgres_privileges',
  file: 'postgres_privileges',
  doc: 'Privileges of roles of PostgreSQL, and their memberships.',
  unavailable: withoutPostgres,
  functions: {
    present: defineState({
      doc: 'Makes sure that a role has privileges on a thing, or is in a group.',
      params: {
        ...PARAMS,
        grant_option: param.flag({ default: null, doc: 'With the right to grant it to others.' }),
      },
      run: (ctx, wanted) => privileges(ctx, wanted, true),
    }),
    absent: defineState({
      doc: 'Makes sure that a role does not have privileges on a thing, or is not in a group.',
      params: PARAMS,
      run: (ctx, wanted) => privileges(ctx, wanted, false),
    }),
  },
});
