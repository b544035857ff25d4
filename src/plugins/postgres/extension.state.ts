/** `postgres_extension`: extensions of databases of PostgreSQL (3006.16 salt/states/postgres_extension.py). */
import { dict, truthy } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { EXTENSION } from './module/extensions.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  failed,
  forgetTroubles,
  nameOf,
  placeKeywords,
  PLACE_AND_DATABASE,
  postgres,
  switched,
  unanswered,
  withoutPostgres,
  type Place,
} from './state/parts.ts';
import { flagIfSaid, textIfSaid } from '../shared/optional-params.ts';

interface WantedExtension extends Place {
  readonly name: string;
  readonly if_not_exists: boolean | undefined;
  readonly schema: string | undefined;
  readonly ext_version: string | undefined;
  readonly from_version: string | undefined;
}

/** The words for what is done: `install`, `installed`. */
const INSTALL = { verb: 'install', done: 'installed' } as const;
const UPGRADE = { verb: 'upgrade', done: 'upgraded' } as const;

async function present(ctx: StateContext, wanted: WantedExtension): Promise<StateResult> {
  const { name, if_not_exists, schema, ext_version, from_version } = wanted;
  forgetTroubles(ctx);
  const keywords = placeKeywords(wanted);
  const about = await postgres(ctx, 'create_metadata', [name], { schema, ext_version, ...keywords });
  const says = (word: string): boolean => Array.isArray(about) && about.includes(word);
  const mode = says(EXTENSION.missing)
    ? INSTALL
    : says(EXTENSION.toMove) || says(EXTENSION.toUpgrade)
      ? UPGRADE
      : undefined;
  if (mode === undefined) return outcome(name, true, `Extension ${name} is already present`);
  const silent = unanswered(ctx, name, `Failed to ${mode.verb} extension ${name}`);
  if (silent !== undefined) return silent;
  if (ctx.state.test) return outcome(name, null, `Extension ${name} is set to be ${mode.done}`);
  const isDone = truthy(
    await postgres(ctx, 'create_extension', [], {
      ...{ name, if_not_exists, schema, ext_version, from_version },
      ...keywords,
    }),
  );
  if (!isDone) return failed(ctx, name, `Failed to ${mode.verb} extension ${name}`);
  const change = mode === INSTALL ? 'Installed' : 'Upgraded';
  return outcome(name, true, `The extension ${name} has been ${mode.done}`, dict({ [name]: change }));
}

async function absent(
  ctx: StateContext,
  {
    name,
    if_exists,
    restrict,
    cascade,
    ...place
  }: Place & {
    readonly name: string;
    readonly if_exists: boolean | undefined;
    readonly restrict: boolean | undefined;
    readonly cascade: boolean | undefined;
  },
): Promise<StateResult> {
  forgetTroubles(ctx);
  const keywords = placeKeywords(place);
  return switched(ctx, {
    name,
    isRight: !truthy(await postgres(ctx, 'is_installed_extension', [name], keywords)),
    change: 'Absent',
    right: `Extension ${name} is not present, so it cannot be removed`,
    foretold: `Extension ${name} is set to be removed`,
    done: `Extension ${name} has been removed`,
    failure: `Extension ${name} failed to be removed`,
    run: async () =>
      truthy(await postgres(ctx, 'drop_extension', [name], { if_exists, restrict, cascade, ...keywords })),
  });
}

/** The states of `postgres_extension`. */
export const postgresExtensionStates = defineModule({
  name: 'postgres_extension',
  file: 'postgres_extension',
  doc: 'Extensions of databases of PostgreSQL.',
  unavailable: withoutPostgres,
  functions: {
    present: defineState({
      doc: 'Makes sure that a database has an extension, in at least a version, in a schema.',
      params: {
        ...nameOf('extension'),
        if_not_exists: flagIfSaid('No error where it is there already; default: true.'),
        schema: textIfSaid('The schema that its things are in.'),
        ext_version: textIfSaid('The version.'),
        from_version: textIfSaid('The version of what is there without being an extension.'),
        ...PLACE_AND_DATABASE,
      },
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that a database does not have an extension.',
      params: {
        ...nameOf('extension'),
        if_exists: flagIfSaid('No error where it is not there.'),
        restrict: flagIfSaid('Not where something else needs it.'),
        cascade: flagIfSaid('With what needs it; the default, unless restrict is true.'),
        ...PLACE_AND_DATABASE,
      },
      run: absent,
    }),
  },
});
