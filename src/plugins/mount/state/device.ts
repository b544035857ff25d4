/** Devices that are not there, looked for in test mode. */
import { isAbs, pathExists } from '../../../python/paths.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import type { StateContext } from '../../shared/state-function.ts';

/**
 * Why a device cannot be mounted: it is a path of this machine at which there is nothing, and no earlier state of the
 * run would make it. Names of other kinds (`UUID=…`, `host:/path`, `//host/share`, `tmpfs`) are left to the system.
 * Salt compat: there, test mode promises it.
 */
export function missingDevice(ctx: StateContext, device: string): string | undefined {
  if (!isAbs(device) || device.startsWith('//') || pathExists(device) || mayBeMade(ctx, device))
    return undefined;
  return `Device ${device} does not exist`;
}
