/** What a pillar is made from, and for whom. */
import type { Logger } from '../../host/log.ts';
import type { RareLines } from '../../host/rare-lines.ts';
import type { RenderPipe } from '../renderers/pipe.ts';
import type { TemplateFunctions } from '../renderers/renderer.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { OwnMatcher } from './own-matchers.ts';
import type { ExtPillar } from './ext/ext-pillar.ts';

/** Whose pillar, and how. */
export interface PillarRequest {
  readonly minionId: string;
  readonly grains: Dict;
  readonly saltenv: string | null;
  readonly pillarenv: string | null;
  /** Pillar from the command line; it wins over everything. */
  readonly override: Dict;
  /** An external pillar asked for by a function (`pillar.ext`). */
  readonly ext?: Value;
  readonly extraMinionData?: Dict;
}

/** What compiling needs. */
export interface PillarCompilerDeps {
  /** The options of the program that compiles, by Salt's names. */
  readonly opts: Dict;
  readonly pipe: RenderPipe;
  readonly log: Logger;
  /** Tells of external pillars that fail, by their names. */
  readonly failed: RareLines;
  /** The functions behind `salt`, for one minion. */
  readonly functions: (context: {
    readonly opts: Dict;
    readonly grains: Dict;
    readonly pillar: Dict;
  }) => TemplateFunctions;
  readonly extPillars: ReadonlyMap<string, ExtPillar>;
  /** A site's own external pillars, which come before those. */
  readonly ownPillar?: (opts: Dict, name: string) => Promise<ExtPillar | undefined>;
  /** A site's own matchers, for top files. */
  readonly ownMatcher?: (opts: Dict, kind: string) => OwnMatcher | undefined;
  /** External pillars of an installed Salt, which come last. */
  readonly installedPillar?: (opts: Dict, name: string) => Promise<ExtPillar | undefined>;
  /** It is made by the program that uses it, from its own files: errors may show lines of them, as Salt's always do. */
  readonly isForOwnUse: boolean;
  /** The version shown with `pillar_opts`. */
  readonly version: string;
}
