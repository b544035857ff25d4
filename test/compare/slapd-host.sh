#!/bin/bash
# Starts a directory of its own, empty but for its top, behind the socket /tmp/brine-slapd/ldapi; one that was started before ends.
set -e
home=/tmp/brine-slapd
if [ -e $home/pid ]; then
  kill "$(cat $home/pid)" || true
  while [ -e $home/pid ]; do sleep 0.1; done
fi
rm -rf $home
mkdir -p $home/db
cat > $home/slapd.conf <<X
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile $home/pid
authz-regexp "gidNumber=0\+uidNumber=0,cn=peercred,cn=external,cn=auth" "cn=admin,dc=example,dc=com"
database mdb
suffix "dc=example,dc=com"
rootdn "cn=admin,dc=example,dc=com"
rootpw secret
directory $home/db
access to attrs=userPassword by anonymous auth by * none
access to * by * read
X
printf 'dn: dc=example,dc=com\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n' |
  slapadd -f $home/slapd.conf
slapd -f $home/slapd.conf -h ldapi://%2Ftmp%2Fbrine-slapd%2Fldapi
