/** Beacons of Salt that are not here, each with the reason: what completes "the beacon … is not served: ". */
const NO_PROXIES = 'there are no proxy minions';
const OTHER_SYSTEM = 'it is for another operating system than Linux';
const PYTHON = "put its file into _beacons, and it is run by the host's Python";

/** By name (salt/beacons of 3006.16). */
export const SALTS_BEACONS: ReadonlyMap<string, string> = new Map([
  ['adb', PYTHON],
  ['aix_account', OTHER_SYSTEM],
  ['avahi_announce', PYTHON],
  ['bonjour_announce', OTHER_SYSTEM],
  ['glxinfo', PYTHON],
  ['junos_rre_keys', NO_PROXIES],
  ['napalm', NO_PROXIES],
  ['napalm_beacon', NO_PROXIES],
  ['proxy_example', NO_PROXIES],
  ['salt_proxy', NO_PROXIES],
  ['sensehat', PYTHON],
  ['smartos_imgadm', OTHER_SYSTEM],
  ['smartos_vmadm', OTHER_SYSTEM],
  ['imgadm', OTHER_SYSTEM],
  ['vmadm', OTHER_SYSTEM],
  ['telegram_bot_msg', PYTHON],
  ['twilio_txt_msg', PYTHON],
]);
