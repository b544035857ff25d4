/** `gpg`: public keys of OpenPGP in the keyrings of users (3006.16 salt/states/gpg.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { trustKey, TRUST_NAMES, TRUST_NUMBERS } from './module/changes.ts';
import { textIfSaid } from '../shared/optional-params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const KEYS = {
  name: param.text({ doc: 'The id of the key, 16 digits.' }),
  keys: param.valueIfGiven({
    type: 'list or str',
    default: null,
    doc: 'The ids, where it is not the name, or not it alone.',
  }),
  user: textIfSaid('Whose keys.'),
} as const;
const gnupghome = textIfSaid('The folder of the keys.');
const PRESENT = {
  ...KEYS,
  keyserver: textIfSaid('The keyserver.'),
  gnupghome,
  trust: textIfSaid(`How far the owner is trusted: ${[...TRUST_NUMBERS.keys()].join(', ')}.`),
} as const;
const ABSENT = { ...KEYS, gnupghome } as const;
type Wanted = TypedArguments<typeof PRESENT>;

/** What gpg calls marginal has two names in Salt. */
const SAME_TRUST: ReadonlyMap<string, string> = new Map([['Marginally Trusted', 'Marginally']]);

const idsOf = (name: string, keys: Value | undefined): string[] => {
  const given = keys ?? name;
  return Array.isArray(given) ? given.map(pyStr) : [pyStr(given)];
};

/** The trust in the owners of the keys that are there, by id. */
async function keysNow(ctx: StateContext, whose: DictInit): Promise<Map<string, string>> {
  const found = await ctx.functions.call('gpg.list_keys', [], dict(whose));
  const keys = Array.isArray(found) ? found.filter(isDict) : [];
  return new Map(
    keys.map((key) => {
      const trust = pyStr(key.get('ownerTrust') ?? 'Unknown');
      return [pyStr(key.get('keyid') ?? ''), SAME_TRUST.get(trust) ?? trust];
    }),
  );
}

const HEX_ID = /^(?:0x)?([\da-f]{8,})$/i;

/**
 * The key that is meant, by its short or long id or its fingerprint, in letters of any size.
 * Salt compat: Salt knows the long id only, and receives at each run what is named otherwise.
 */
function keyMeant(now: ReadonlyMap<string, string>, named: string): string | undefined {
  if (now.has(named)) return named;
  const id = HEX_ID.exec(named.replaceAll(' ', ''))?.[1]?.toUpperCase();
  return id === undefined
    ? undefined
    : [...now.keys()].find((key) => key !== '' && (key.endsWith(id) || id.endsWith(key)));
}

/** What a run of the state gathers. */
interface Report {
  result: boolean | null;
  readonly comments: string[];
  readonly changes: Dict;
}

const messageOf = (said: Value): string => {
  const message = isDict(said) ? (said.get('message') ?? '') : said;
  return Array.isArray(message) ? message.map(pyStr).join('\n') : pyStr(message);
};

async function trust(ctx: StateContext, wanted: Wanted, key: string, report: Report): Promise<boolean> {
  const level = wanted.trust ?? '';
  const said = await trustKey(ctx, wanted, { keyid: key, fingerprint: undefined }, level);
  const isDone = isDict(said) && said.get('res') === true;
  if (!isDone) report.result = false;
  report.comments.push(isDone ? `Set trust level for ${key} to ${level}` : messageOf(said));
  return isDone;
}

/** A key that is there. */
async function keep(
  ctx: StateContext,
  wanted: Wanted,
  key: string,
  now: string,
  report: Report,
): Promise<void> {
  const { trust: level } = wanted;
  if (level !== undefined) {
    const number = TRUST_NUMBERS.get(level);
    if (number === undefined) report.comments.push(`Invalid trust level ${level}`);
    else if (TRUST_NAMES.get(number) === now)
      report.comments.push(`GPG Public Key ${key} already in correct trust state`);
    else if (ctx.state.test) {
      report.result = null;
      report.comments.push(`Would have set trust level for ${key} to ${level}`);
      report.changes.set(key, dict({ trust: level }));
      return;
    } else if (await trust(ctx, wanted, key, report)) report.changes.set(key, dict({ trust: level }));
  }
  report.comments.push(`GPG Public Key ${key} already in keychain `);
}

/** A key that is not there. */
async function receive(ctx: StateContext, wanted: Wanted, key: string, report: Report): Promise<void> {
  const { name, keyserver, user, gnupghome: home, trust: level } = wanted;
  const whose = { user: user ?? null, gnupghome: home ?? null };
  if (ctx.state.test) {
    report.result = null;
    report.comments.push(`Would have added ${key} to GPG keychain`);
    report.changes.set(key, dict({ added: true }));
    return;
  }
  const words = dict({ keyserver: keyserver ?? null, keys: key, ...whose });
  const said = await ctx.functions.call('gpg.receive_keys', [], words);
  const received = keyMeant(await keysNow(ctx, whose), key);
  if (received === undefined) {
    report.result = false;
    report.comments.push(messageOf(said) || `Unable to add ${key} to keychain`);
    return;
  }
  report.comments.push(`Adding ${name} to GPG keychain`);
  report.changes.set(key, dict({ added: true }));
  if (level === undefined) return;
  if (!TRUST_NUMBERS.has(level)) report.comments.push(`Invalid trust level ${level}`);
  else await trust(ctx, wanted, received, report);
}

/**
 * Salt compat: as Salt 3007 does, it says what it changes, does nothing in test mode, and fails where a key could not
 * be had; the trust that is compared is that in the owner, which is what is set.
 */
async function present(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, keys, user, gnupghome: home } = wanted;
  const now = await keysNow(ctx, { user: user ?? null, gnupghome: home ?? null });
  const report: Report = { result: true, comments: [], changes: dict() };
  for (const key of idsOf(name, keys)) {
    const there = keyMeant(now, key);
    if (there === undefined) await receive(ctx, wanted, key, report);
    else await keep(ctx, wanted, there, now.get(there) ?? '', report);
  }
  return outcome(name, report.result, report.comments.join('\n'), report.changes);
}

/** Salt compat: as {@link present}; 3006.16 hands the user over as a fingerprint, and looks in root's keyring only. */
async function absent(ctx: StateContext, wanted: TypedArguments<typeof ABSENT>): Promise<StateResult> {
  const { name } = wanted;
  const whose = { user: wanted.user ?? null, gnupghome: wanted.gnupghome ?? null };
  const now = await keysNow(ctx, whose);
  const report: Report = { result: true, comments: [], changes: dict() };
  const deleted: string[] = [];
  for (const named of idsOf(name, wanted.keys)) {
    const key = keyMeant(now, named);
    if (key === undefined) report.comments.push(`${name} not found in GPG keychain`);
    else if (ctx.state.test) {
      report.result = null;
      report.comments.push(`Would have deleted ${key} from GPG keychain`);
      deleted.push(key);
    } else {
      const said = await ctx.functions.call('gpg.delete_key', [], { keyid: key, ...whose });
      const isDone = isDict(said) && said.get('res') === true;
      if (isDone) deleted.push(key);
      else report.result = false;
      report.comments.push(isDone ? `Deleting ${name} from GPG keychain` : messageOf(said));
    }
  }
  if (deleted.length > 0) report.changes.set('deleted', deleted);
  return outcome(name, report.result, report.comments.join('\n'), report.changes);
}

/** The states of `gpg`. */
export const gpgStates = defineModule({
  name: 'gpg',
  file: 'gpg',
  doc: 'Public keys of OpenPGP in the keyrings of users.',
  needs: { fun: 'gpg.list_keys', otherwise: 'gpg module could not be loaded' },
  functions: {
    present: defineState({
      doc: 'Makes sure that keys are in a keyring, and how far their owners are trusted.',
      params: PRESENT,
      kwargs: 'kwargs',
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that keys are not in a keyring.',
      params: ABSENT,
      kwargs: 'kwargs',
      run: absent,
    }),
  },
});
