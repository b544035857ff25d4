/** The settings of an upstream of RabbitMQ. */
import { param } from '../../../runtime/loader/params.ts';

/** The settings of an upstream as parameters of functions and states, in Salt's order. */
export const UPSTREAM_PARAMS = {
  uri: param.value({
    type: 'str',
    takes: 'text',
    doc: 'Where the upstream is: amqp://user:password@host; several with spaces.',
  }),
  prefetch_count: param.value({
    default: null,
    type: 'int',
    doc: 'How many messages may be on the link, not yet acknowledged.',
  }),
  reconnect_delay: param.value({
    default: null,
    type: 'int',
    doc: 'Seconds until the next try after a lost connection.',
  }),
  ack_mode: param.value({
    default: null,
    type: 'str',
    takes: 'text',
    doc: 'on-confirm, on-publish or no-ack.',
  }),
  trust_user_id: param.value({
    default: null,
    type: 'bool',
    doc: 'Keep the id of the user who sent a message.',
  }),
  exchange: param.value({
    default: null,
    type: 'str',
    takes: 'text',
    doc: 'The exchange there; without it the one of the same name.',
  }),
  max_hops: param.value({ default: null, type: 'int', doc: 'Over how many links a message may go.' }),
  expires: param.value({
    default: null,
    type: 'int',
    doc: 'Milliseconds after which the queue there goes when nobody connects.',
  }),
  message_ttl: param.value({ default: null, type: 'int', doc: 'Milliseconds that messages stay there.' }),
  ha_policy: param.value({
    default: null,
    type: 'str',
    takes: 'text',
    doc: 'The argument x-ha-policy of the queue there.',
  }),
  queue: param.value({
    default: null,
    type: 'str',
    takes: 'text',
    doc: 'The queue there; without it the one of the same name.',
  }),
} as const;
