/** A file server out of options, with the backends that they name. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { rareLog } from '../../host/rare-lines.ts';
import type { Random } from '../../host/random.ts';
import type { Dict } from '../../python/values/value.ts';
import { createBackends } from './backends.ts';
import { FileServer } from './file-server.ts';
import { fileServerSettings } from './settings.ts';

/** What a file server is opened with. */
export interface OpenFileServer {
  readonly opts: Dict;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** @throws ConfigError for backends that do not exist, and remotes that cannot be understood */
export function openFileServer({ opts, clock, random, log: every }: OpenFileServer): FileServer {
  // each request looks at all backends again
  const log = rareLog(every, clock);
  const settings = fileServerSettings(opts, log);
  const backends = createBackends({ opts, settings, clock, random, log });
  return new FileServer({ settings, backends, clock, log });
}
