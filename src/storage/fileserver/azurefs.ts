/** The backend `azure`: containers of Azure's Blob storage as environments (3006.16 salt/fileserver/azurefs.py). */
import { createHash } from 'node:crypto';
import { ConfigError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import { Secret } from '../../host/secret.ts';
import { AzureStore } from '../../network/http/azure-store.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { ObjectCopy } from '../remotes/object-copy.ts';
import { firstFetches, type FetchedRemote } from '../remotes/update-remotes.ts';
import type { FetchedBackend } from './fetched.ts';

/** The backend's name in answers, events and options. */
const AZUREFS = 'azurefs';

/** What the backend needs. */
export interface AzurefsDeps {
  readonly opts: Dict;
  /** Where copies of containers lie. */
  readonly folder: string;
  readonly clock: Clock;
}

interface AzureRemote extends FetchedRemote {
  readonly repository: ObjectCopy;
  readonly saltenv: string;
}

/** Makes the backend. @throws ConfigError, StoreError for containers that cannot be understood */
export function createAzurefs({ opts, folder, clock }: AzurefsDeps): FetchedBackend {
  const updateIntervalMs = (toNumber(opts.get('azurefs_update_interval') ?? 60) ?? 60) * 1000;
  const entries = opts.get('azurefs') ?? null;
  if (!Array.isArray(entries))
    throw new ConfigError('azurefs must be a list of mappings with account_name and container_name.');
  const remotes = entries.map((entry): AzureRemote => {
    const store = storeOf(entry, clock);
    const name = createHash('sha256').update(store.name).digest('hex').slice(0, 32);
    const repository = new ObjectCopy({ folder: safeJoin(folder, name), store, clock });
    const saltenv = isDict(entry) ? pyStr(entry.get('saltenv') ?? 'base') : 'base';
    return { id: store.name, repository, updateIntervalMs, saltenv };
  });
  return {
    name: AZUREFS,
    // one container may belong to several environments, and is fetched once
    remotes: [...new Map(remotes.map((remote) => [remote.id, remote])).values()],
    environments: () => [...new Set(remotes.map(({ saltenv }) => saltenv))],
    layers: async (saltenv) => {
      await firstFetches(remotes, clock);
      return remotes
        .filter((remote) => remote.saltenv === saltenv)
        .map(({ repository }) => ({
          backend: AZUREFS,
          folder: repository.files,
          mountpoint: '',
          isConfined: true,
          isFixed: false,
          version: repository.version,
        }));
    },
  };
}

function storeOf(entry: Value, clock: Clock): AzureStore {
  const given: Dict = isDict(entry) ? entry : new Map();
  const text = (name: string): string => pyStr(given.get(name) ?? '');
  const [account, container] = [text('account_name'), text('container_name')];
  if (account === '' || container === '')
    throw new ConfigError('Each entry of azurefs must have account_name and container_name.');
  const address = text('blob_endpoint') || `https://${account}.blob.core.windows.net`;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new ConfigError(`The container ${container} of azurefs has an account that is no name of a host.`);
  return new AzureStore({
    account,
    container,
    key: new Secret(text('account_key')),
    sasToken: new Secret(text('sas_token').replace(/^\?/, '')),
    endpoint: new URL(address),
    clock,
  });
}
