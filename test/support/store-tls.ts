/** What the tests of databases with TLS have in common. */
import assert from 'node:assert/strict';
import type { ReturnStore } from '../../src/plugins/shared/returner/return-store.ts';
import type { Value } from '../../src/python/values/value.ts';
import { certificate } from './database-servers.ts';
import { contractLoad, contractReturn } from './return-store-contract.ts';

const JID = '20261121000000000001';

/**
 * Writes and reads over TLS; connects to nobody whose certificate is of another authority, or for another host.
 * @param open opens a store on 127.0.0.1
 * @param ca the option for authorities, and how messages name it
 */
export async function checkTls(
  open: (options: Readonly<Record<string, Value>>) => ReturnStore,
  [ca, name]: readonly [option: string, name: string],
): Promise<void> {
  const store = open({ [ca]: certificate('address.crt') });
  await store.createSchema();
  await store.saveLoads([{ jid: JID, load: contractLoad(JID) }]);
  await store.saveReturns([contractReturn(JID, 'm1')]);
  assert.ok((await store.returns(JID)).has('m1'));
  await assert.rejects(
    open({ [ca]: certificate('other-ca.crt') }).load(JID),
    new RegExp(
      `cannot be reached over TLS: its certificate is of no authority .*other-ca\\.crt \\(${name}\\)$`,
    ),
  );
  await assert.rejects(
    open({ host: 'localhost', [ca]: certificate('address.crt') }).load(JID),
    /cannot be reached over TLS: its certificate is not for this host .*altnames.*by a name that its certificate has/,
  );
}
