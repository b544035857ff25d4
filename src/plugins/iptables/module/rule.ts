/** A rule of iptables out of keywords (3006.16 salt/modules/iptables.py `build_rule`). */
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { INTERNAL_KEYWORDS } from '../../../runtime/state/keywords.ts';

/** Options of targets, which have to follow the jump. */
const AFTER_JUMP =
  `j jump add-set and-mark and-tos checksum-fill clamp-mss-to-pmtu clustermac ctevents ctmask del-set ecn-tcp-remove
  exist expevents gateway hash-init hashmode helper label local-node log-ip-options log-level log-prefix log-tcp-options
  log-tcp-sequence log-uid mask new nfmask nflog-group nflog-prefix nflog-range nflog-threshold nodst notrack on-ip on-port or-mark
  or-tos persistent queue-balance queue-bypass queue-num random rateest-ewmalog rateest-interval rateest-name reject-with restore
  restore-mark save-mark selctx set-class set-dscp set-dscp-class set-mark set-mss set-tos set-xmark strip-options timeout to
  to-destination to-ports to-source total-nodes tproxy-mark ttl-dec ttl-inc ttl-set type ulog-cprange ulog-nlgroup ulog-prefix
  ulog-qthreshold xor-mark xor-tos zone dst-pfx hl-dec hl-inc hl-set hmark-dport-mask hmark-dst-prefix hmark-mod hmark-offset
  hmark-proto-mask hmark-rnd hmark-spi-mask hmark-sport-mask hmark-src-prefix hmark-tuple led-always-blink led-delay led-trigger-id
  queue-cpu-fanout src-pfx to-port addr and-mask delude honeypot or-mask prefix reset reuse set-mac shift static tarpit tname
  ttl`.split(/\s+/);
/** What a state hands on and no rule has. Salt compat: Salt makes options of the keywords of joined states. */
const NOT_OF_A_RULE = ['name', 'state', 'chain', 'save', 'table', 'aggregate', '__agg__'];
const NAMED_MATCHES = ['pknock', 'quota2', 'recent'];
/** What is said of a rule with several ports and without a protocol. */
const NO_PROTOCOL = 'Error: protocol must be specified';

const isNegated = (text: string): boolean => text.startsWith('!') || text.startsWith('not');
const withoutNegation = (text: string): string => text.replace(/(?:!|not)\s?/g, '');
const isBare = (value: Value): boolean => value === null || value === '';

/** The words of a rule, made from keywords that are used up one by one. */
class RuleText {
  readonly #left: Dict;
  readonly #words: string[] = [];

  constructor(keywords: Dict) {
    this.#left = new Map(keywords);
    if (this.#left.has('target')) this.#left.set('jump', this.#take('target'));
    for (const key of [...INTERNAL_KEYWORDS, ...NOT_OF_A_RULE]) this.#left.delete(key);
  }

  /** The rule, or a sentence that begins with `Error:`. */
  text(): string {
    this.#option('if', '-i');
    this.#option('of', '-o');
    const isPolicy = this.#left.get('match') === 'policy';
    if (this.#left.has('proto') && !isPolicy) this.#left.set('protocol', this.#take('proto'));
    const hasProtocol = this.#left.has('protocol');
    this.#option('protocol', '-p');
    this.#matches(isPolicy);
    this.#matchSets();
    if (this.#left.has('connstate')) {
      this.#once('-m state');
      this.#option('connstate', '--state');
    }
    this.#option('dport', '--dport');
    this.#option('sport', '--sport');
    for (const key of ['dports', 'sports']) {
      if (!this.#left.has(key)) continue;
      if (this.#once('-m multiport') && !hasProtocol) return NO_PROTOCOL;
      this.#ports(key);
    }
    if (this.#left.has('comment')) {
      this.#once('-m comment');
      this.#words.push(`--comment "${pyStr(this.#take('comment'))}"`);
    }
    if (truthy(this.#left.get('set') ?? null)) this.#option('set', '--match-set');
    const behind = this.#afterJump();
    for (const [key, value] of this.#left) this.#other(pyStr(key), value);
    return [...this.#words, ...behind].join(' ');
  }

  #take(key: string): Value {
    const value = this.#left.get(key) ?? null;
    this.#left.delete(key);
    return value;
  }

  /** @returns true where the word was not there yet */
  #once(word: string): boolean {
    if (this.#words.includes(word)) return false;
    this.#words.push(word);
    return true;
  }

  /** An option with its value: `! -i eth0` for `! eth0` and `not eth0`. */
  #option(key: string, option: string): void {
    if (!this.#left.has(key)) return;
    const text = pyStr(this.#take(key));
    this.#words.push(isNegated(text) ? `! ${option} ${withoutNegation(text)}` : `${option} ${text}`);
  }

  #matches(isPolicy: boolean): void {
    if (!this.#left.has('match')) return;
    const given = this.#take('match');
    const matches = Array.isArray(given) ? given.map(pyStr) : pyStr(given).split(',');
    for (const match of matches) {
      this.#words.push(`-m ${match}`);
      if (this.#left.has('name_') && NAMED_MATCHES.includes(match.trim()))
        this.#words.push(`--name ${pyStr(this.#take('name_'))}`);
    }
    if (isPolicy) this.#option('proto', '--proto');
  }

  #matchSets(): void {
    if (!this.#left.has('match-set')) return;
    const given = this.#take('match-set');
    for (const set of (Array.isArray(given) ? given : [given]).map(pyStr))
      this.#words.push(
        isNegated(set) ? `-m set ! --match-set ${withoutNegation(set)}` : `-m set --match-set ${set}`,
      );
  }

  #ports(key: string): void {
    const given = this.#take(key);
    const ports = (Array.isArray(given) ? given : [given]).map(pyStr);
    const isNot = ports.some(isNegated);
    if (isNot) this.#words.push('!');
    this.#words.push(`--${key} ${(isNot ? ports.map(withoutNegation) : ports).join(',')}`);
  }

  #afterJump(): string[] {
    const behind: string[] = [];
    for (const key of AFTER_JUMP) {
      if (!this.#left.has(key)) continue;
      const value = this.#take(key);
      const text = pyStr(value);
      if (isBare(value)) behind.push(`--${key}`);
      else behind.push(/[ \t\n\r\v\f]/.test(text) ? `--${key} "${text}"` : `--${key} ${text}`);
    }
    return behind;
  }

  #other(key: string, value: Value): void {
    const text = pyStr(value);
    const isNot = isNegated(text);
    const shown = isNot ? withoutNegation(text) : text;
    const rest = isBare(value) || shown === '' ? '' : ` ${shown}`;
    this.#words.push(`${isNot ? '! ' : ''}${key.length === 1 ? '-' : '--'}${key}${rest}`);
  }
}

/** A rule out of keywords, as the program takes it; a sentence that begins with `Error:` where there can be none. */
export function ruleText(keywords: Dict): string {
  return new RuleText(keywords).text();
}
