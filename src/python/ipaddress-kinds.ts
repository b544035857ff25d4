/** What addresses are for, by the networks that Python's `ipaddress` (3.11) knows. */
import { isInNetwork, parseIpNetwork, type IpAddress, type IpNetwork } from './ipaddress.ts';

function networks(list: string): readonly IpNetwork[] {
  return list.split(' ').map((text) => parseIpNetwork(text) as IpNetwork);
}

const within =
  (list: readonly IpNetwork[]) =>
  (address: IpAddress): boolean =>
    list.some((network) => isInNetwork(address, network));

/** Python's `is_private`. */
export const isPrivate = within(
  networks(
    '0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/29 192.0.0.170/31 192.0.2.0/24 192.168.0.0/16 ' +
      '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 255.255.255.255/32 ::1/128 ::/128 ::ffff:0:0/96 100::/64 ' +
      '2001::/23 2001:2::/48 2001:db8::/32 2001:10::/28 fc00::/7 fe80::/10',
  ),
);

/** Python's `is_reserved`. */
export const isReserved = within(
  networks(
    '240.0.0.0/4 ::/8 100::/8 200::/7 400::/6 800::/5 1000::/4 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 f800::/6 fe00::/9',
  ),
);

/** Python's `is_link_local`. */
export const isLinkLocal = within(networks('169.254.0.0/16 fe80::/10'));

/** Python's `is_loopback`. */
export const isLoopback = within(networks('127.0.0.0/8 ::1/128'));

/** Python's `is_site_local`. */
export const isSiteLocal = within(networks('fec0::/10'));

/** Python's `is_multicast`. */
export const isMulticast = within(networks('224.0.0.0/4 ff00::/8'));

/** Python's `is_unspecified`. */
export const isUnspecified = (address: IpAddress): boolean => address.bytes.every((byte) => byte === 0);
