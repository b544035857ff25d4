/** `pkg`: tells when there is an upgrade of a package (salt/beacons/pkg.py, 3006.16). */
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineBeacon, VALID, type BeaconContext, type Verdict } from '../shared/beacon/beacon.ts';

type Status = 'installed' | 'upgrade' | 'not-installed';

function validate(config: Value): Verdict {
  if (!Array.isArray(config)) return [false, 'Configuration for pkg beacon must be a list.'];
  const isGiven = config.some((item) => isDict(item) && Array.isArray(item.get('pkgs')));
  return isGiven ? VALID : [false, 'Configuration for pkg beacon requires list of pkgs.'];
}

async function statusOf(
  { call }: BeaconContext,
  name: Value,
  refresh: boolean,
): Promise<{ status: Status; version: Value }> {
  const installed = await call('pkg.version', [name], dict({ use_context: false }));
  if (!truthy(installed)) return { status: 'not-installed', version: null };
  const latest = await call('pkg.latest_version', [name], dict({ refresh }));
  return truthy(latest)
    ? { status: 'upgrade', version: latest }
    : { status: 'installed', version: installed };
}

/**
 * The beacon. Salt compat: `refresh: True` refreshes the lists of packages, as documented; Salt looks for it in the
 * wrong place.
 */
export const pkgBeacon = defineBeacon({
  name: 'pkg',
  doc: 'Reports packages that were installed, removed, or have an upgrade since the last look.',
  params: {
    pkgs: param.list({ default: [], doc: 'names of packages' }),
    refresh: param.flag({ default: false, doc: 'refresh the lists of packages at each look' }),
  },
  validate,
  start: (ctx) => {
    const seen = new Map<Value, Status>();
    return {
      look: async ({ pkgs, refresh }) => {
        const events: Dict[] = [];
        for (const [nth, name] of pkgs.entries()) {
          const { status, version } = await statusOf(ctx, name, refresh && nth === 0);
          const before = seen.get(name);
          seen.set(name, status);
          if (before !== undefined && before !== status) events.push(dict({ pkg: name, version, status }));
        }
        return events;
      },
    };
  },
});
