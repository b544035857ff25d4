/**
 * What differs between a certificate, a request or a list that is there and the one that is wanted. Follows 3006.16
 * salt/states/x509_v2.py `_compare_*`.
 */
import type { KeyObject } from 'node:crypto';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import {
  isSignedBy,
  type Certificate,
  type Extension,
  type ListBody,
  type Request,
  type RequestBody,
  type RevocationList,
} from '../module/certificates.ts';
import { extensionName } from '../module/extension-oids.ts';
import { numberHex } from '../module/extension-show.ts';
import type { Draft } from '../module/issue.ts';
import { isPair } from '../module/keys.ts';
import { nameText, sameName } from '../module/names.ts';

const find = (list: readonly Extension[], { oid }: Extension): Extension | undefined =>
  list.find((one) => one.oid === oid);
const isSame = (a: Extension, b: Extension): boolean => a.critical === b.critical && a.value.equals(b.value);

/** The extensions that differ, by name; undefined where none does. */
function extensionChanges(
  current: readonly Extension[],
  wanted: readonly Extension[],
): { added: string[]; changed: string[]; removed: string[] } | undefined {
  const names = (list: readonly Extension[]): string[] => list.map(({ oid }) => extensionName(oid));
  const added = names(wanted.filter((one) => find(current, one) === undefined));
  const changed = names(
    wanted.filter((one) => {
      const old = find(current, one);
      return old !== undefined && !isSame(old, one);
    }),
  );
  const removed = names(current.filter((one) => find(wanted, one) === undefined));
  return added.length + changed.length + removed.length === 0 ? undefined : { added, changed, removed };
}

function withExtensions(changes: Dict, current: readonly Extension[], wanted: readonly Extension[]): Dict {
  const found = extensionChanges(current, wanted);
  if (found !== undefined) changes.set('extensions', dict(found));
  return changes;
}

/** What differs in a certificate. @param serial as it was given: what is not given may be any */
export function certificateChanges(current: Certificate, { body, signingCert }: Draft, serial: Value): Dict {
  const changes = dict();
  if (serial !== null && body.serial !== current.serial) changes.set('serial_number', serial);
  if (!isPair(body.publicKey, current.publicKey)) changes.set('private_key', true);
  if (signingCert !== undefined && !isSignedBy(current, signingCert.publicKey))
    changes.set('signing_private_key', true);
  if (!sameName(body.subject, current.subject)) changes.set('subject_name', nameText(body.subject));
  if (!sameName(body.issuer, current.issuer)) changes.set('issuer_name', nameText(body.issuer));
  return withExtensions(changes, current.extensions, body.extensions);
}

/** What differs in a request. */
export function requestChanges(current: Request, wanted: RequestBody): Dict {
  const changes = dict();
  if (!sameName(wanted.subject, current.subject)) changes.set('subject_name', nameText(wanted.subject));
  return withExtensions(changes, current.extensions, wanted.extensions);
}

function revocationChanges(current: RevocationList, wanted: ListBody): Dict | undefined {
  const [added, changed, removed]: [string[], string[], string[]] = [[], [], []];
  for (const { serial, extensions } of wanted.revoked) {
    const old = current.revoked.find((one) => one.serial === serial);
    if (old === undefined) added.push(numberHex(serial));
    else if (extensionChanges(old.extensions, extensions) !== undefined) changed.push(numberHex(serial));
  }
  for (const { serial } of current.revoked)
    if (!wanted.revoked.some((one) => one.serial === serial)) removed.push(numberHex(serial));
  return added.length + changed.length + removed.length === 0 ? undefined : dict({ added, changed, removed });
}

/** What differs in a revocation list. @param key the public half of the key that signs */
export function listChanges(current: RevocationList, wanted: ListBody, key: KeyObject): Dict {
  const changes = dict();
  if (!sameName(wanted.issuer, current.issuer)) changes.set('issuer_name', nameText(wanted.issuer));
  if (!isSignedBy(current, key)) changes.set('public_key', true);
  const revocations = revocationChanges(current, wanted);
  if (revocations !== undefined) changes.set('revocations', revocations);
  return withExtensions(changes, current.extensions, wanted.extensions);
}
