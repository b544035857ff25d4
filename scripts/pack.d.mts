/** One module: its text and its map. */
export interface Unit {
  readonly text: string;
  readonly map: string;
}
export function writePack(path: string, units: ReadonlyMap<number, Unit>, count: number, stamp: string): void;
export function deferred(text: string): string;
