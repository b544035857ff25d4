/**
 * The regular updates of the file server (`roots_update_interval`), with an event when files have changed
 * (`fileserver_events`).
 */
import { masterSockets } from '../../config/master-sockets.ts';
import { EventBusWriter } from '../../network/events/bus-client.ts';
import { fileServerSettings, type FileServerSettings } from '../../storage/fileserver/settings.ts';
import { UPDATE_TAG, updateEvent, updateFileServer } from '../../storage/fileserver/update.ts';
import type { RoleContext } from './roles/role.ts';

const EVENT_QUEUE_BYTES_MAX = 16 * 1024 * 1024;

/** Updates the file server every `roots_update_interval` seconds, one update at a time. */
export class FileServerUpdates {
  readonly periodMs: number;
  readonly #settings: FileServerSettings;
  readonly #context: RoleContext;
  readonly #events: EventBusWriter | undefined;
  #isRunning = false;

  constructor(context: RoleContext) {
    const { opts, clock, log } = context;
    this.#context = context;
    this.#settings = fileServerSettings(opts.toDict(), log);
    this.periodMs = Math.max(1, opts.get('roots_update_interval')) * 1000;
    if (opts.get('fileserver_events'))
      this.#events = new EventBusWriter({
        path: masterSockets(opts).eventPull,
        clock,
        eventBytesMax: opts.get('max_event_size'),
        queueBytesMax: EVENT_QUEUE_BYTES_MAX,
      });
  }

  /** One update; none while the one before it still runs. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      const changes = await updateFileServer(this.#settings);
      // Salt compat: Salt tells also that nothing has changed, every minute
      if (changes.isChanged) this.#events?.fire(UPDATE_TAG, updateEvent(changes));
    } catch (error) {
      this.#context.log.error(
        'The file server could not be brought up to date; the next round tries again.',
        error,
      );
    } finally {
      this.#isRunning = false;
    }
  }

  close(): void {
    this.#events?.close();
  }
}
