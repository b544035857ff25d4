/** The addresses that this machine has. */
import { networkInterfaces } from 'node:os';

/** Whether an address is one of this machine's; they are looked up anew each time, because they come and go. */
export function isOwnAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some((each) => each.address === address);
}
