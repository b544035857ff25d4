/** Puts the second version of the interface together. */
import type { BusFeed } from '../bus-feed.ts';
import { BoundedMap } from '../../../host/bounded-map.ts';
import { brineVersion } from '../../../version.ts';
import { CatalogReader } from './catalog.ts';
import { EventRing } from './event-ring.ts';
import { jsonOf } from './json.ts';
import { openApi } from './openapi.ts';
import { OidcLogins } from './oidc-logins.ts';
import { MasterFiles } from './master-files.ts';
import { Rights } from './rights.ts';
import { Runs } from './runs.ts';
import { Service, type ServiceDeps } from './service.ts';
import { ROUTES } from './table.ts';

/** Runs of which it is remembered who has started them. */
const STARTED_MAX = 10_000;

/** What it shares with the first version. */
export interface OpenServiceDeps extends Omit<
  ServiceDeps,
  'rights' | 'oidc' | 'files' | 'ring' | 'runs' | 'catalog' | 'started' | 'routes' | 'operations' | 'document'
> {
  readonly feed: BusFeed;
}

/** The service, and what ends it. */
export interface OpenedService {
  readonly service: Service;
  readonly close: () => void;
}

/** Opens it; nothing of the master is read before the first request. */
export function openService(parts: OpenServiceDeps): OpenedService {
  const { link, clock, log } = parts;
  const files = new MasterFiles({ opts: link.opts, clock, log });
  const ring = new EventRing(parts);
  const base = `${parts.settings.values.root_prefix.replace(/\/+$/, '')}/api/v2`;
  // everybody may ask for it, and it is the same for all
  let document: Buffer | undefined;
  const service = new Service({
    ...parts,
    rights: new Rights(link),
    oidc: new OidcLogins(parts),
    files,
    ring,
    runs: new Runs(parts),
    catalog: new CatalogReader(),
    started: new BoundedMap(STARTED_MAX),
    routes: ROUTES,
    operations: ROUTES.map(({ id, offered, needs }) => ({ id, offered: offered ?? needs })),
    document: () => (document ??= Buffer.from(jsonOf(openApi(ROUTES, base, brineVersion)))),
  });
  return {
    service,
    close: () => {
      ring.close();
      void files.close();
    },
  };
}
