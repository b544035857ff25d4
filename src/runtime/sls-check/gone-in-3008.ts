/**
 * What Salt 3006 has and Salt 3008 no longer has, by the names that sites write: most of it went into extensions, which
 * are installed one by one. Read off the trees of 3006.16 and of 3008 in April 2026, before its first candidate.
 */

/** The kinds of parts that went. */
export type GoneKind =
  | 'states'
  | 'modules'
  | 'runners'
  | 'renderers'
  | 'returners'
  | 'pillars'
  | 'beacons'
  | 'engines'
  | 'sdb'
  | 'auths'
  | 'backends'
  | 'queues';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** The names of each kind. */
export const GONE_IN_3008: Readonly<Record<GoneKind, ReadonlySet<string>>> = {
  /** State modules. */
  states: words(
    'acme alternatives apt artifactory augeas aws_sqs azurearm_compute azurearm_dns azurearm_network ' +
      'azurearm_resource bigip boto3_elasticache boto3_elasticsearch boto3_route53 boto3_sns ' +
      'boto_apigateway boto_asg boto_cfn boto_cloudfront boto_cloudtrail boto_cloudwatch_alarm ' +
      'boto_cloudwatch_event boto_cognitoidentity boto_datapipeline boto_dynamodb boto_ec2 ' +
      'boto_elasticache boto_elasticsearch_domain boto_elb boto_elbv2 boto_iam boto_iam_role boto_iot ' +
      'boto_kinesis boto_kms boto_lambda boto_lc boto_rds boto_route53 boto_s3 boto_s3_bucket ' +
      'boto_secgroup boto_sns boto_sqs boto_vpc bower btrfs buildout cabal ceph chef chronos_job cimc ' +
      'cisconso composer consul cryptdev csf cyg ddns debconf dellchassis docker_container docker_image ' +
      'docker_network docker_volume drac dvs elasticsearch elasticsearch_index ' +
      'elasticsearch_index_template eselect esxcluster esxdatacenter esxi esxvm ethtool gem github ' +
      'glance_image glassfish glusterfs gnomedesktop grafana grafana4_dashboard grafana4_datasource ' +
      'grafana4_org grafana4_user grafana_dashboard grafana_datasource heat helm hg icinga2 ifttt ' +
      'incron influxdb08_database influxdb08_user influxdb_continuous_query influxdb_database ' +
      'influxdb_retention_policy influxdb_user infoblox_a infoblox_cname infoblox_host_record ' +
      'infoblox_range ipmi jboss7 jenkins junos kapacitor kernelpkg keystone keystone_domain ' +
      'keystone_endpoint keystone_group keystone_project keystone_role keystone_role_grant ' +
      'keystone_service keystone_user keystore kubernetes layman ldap libcloud_dns ' +
      'libcloud_loadbalancer libcloud_storage logadm lvs_server lvs_service lxc lxd lxd_container ' +
      'lxd_image lxd_profile marathon_app memcached modjk modjk_worker mongodb_database mongodb_user ' +
      'monit mssql_database mssql_login mssql_role mssql_user msteams mysql_database mysql_grants ' +
      'mysql_query mysql_user napalm_yang neutron_network neutron_secgroup neutron_secgroup_rule ' +
      'neutron_subnet nexus nfs_export npm nxos openstack_config openvswitch_bridge openvswitch_db ' +
      'openvswitch_port opsgenie pagerduty pagerduty_escalation_policy pagerduty_schedule ' +
      'pagerduty_service pagerduty_user panos pbm pcs pdbedit pecl portage_config ports powerpath ' +
      'probes pushover pyrax_queues rbac rbenv rdp redis restconf rsync rvm serverdensity_device slack ' +
      'smartos smtp snapper solrcloud splunk splunk_search sqlite3 statuspage supervisord svn sysrc ' +
      'telemetry_alert testinfra tomcat trafficserver tuned vagrant vault vbox_guest victorops virt ' +
      'webutil wordpress xml xmpp zabbix_action zabbix_host zabbix_hostgroup zabbix_mediatype ' +
      'zabbix_template zabbix_user zabbix_usergroup zabbix_usermacro zabbix_valuemap zenoss zfs ' +
      'zk_concurrency zone zookeeper zpool',
  ),
  /** Execution modules, by the name before the dot. */
  modules: words(
    'acme apcups aptly augeas aws_sqs azurearm_compute azurearm_dns azurearm_network ' +
      'azurearm_resource bamboohr bigip bluetooth boto3_elasticache boto3_elasticsearch boto3_route53 ' +
      'boto3_sns boto_apigateway boto_asg boto_cfn boto_cloudfront boto_cloudtrail boto_cloudwatch ' +
      'boto_cloudwatch_event boto_cognitoidentity boto_datapipeline boto_dynamodb boto_ec2 boto_efs ' +
      'boto_elasticache boto_elasticsearch_domain boto_elb boto_elbv2 boto_iam boto_iot boto_kinesis ' +
      'boto_kms boto_lambda boto_rds boto_route53 boto_s3 boto_s3_bucket boto_secgroup boto_sns ' +
      'boto_sqs boto_ssm boto_vpc bower btrfs buildout cabal capirca ceph chassis cimc ciscoconfparse ' +
      'cisconso composer consul container_resource cpan csf cyg daemontools datadog ddns django dnsmasq ' +
      'docker dockercompose drac dracr drbd eix elasticsearch eselect esxcluster esxdatacenter esxi ' +
      'esxvm freebsd_update freezer gcp gem genesis gentoolkit github glanceng glassfish glusterfs ' +
      'gnome google_chat grafana4 grub guestfs hadoop haproxy heat helm hg hue icinga2 ifttt ilo imgadm ' +
      'influxdb influxdb08 infoblox inspectlib inspector introspect ipmi jail jboss7 jboss7_cli jenkins ' +
      'jira k8s kapacitor kerberos keystone keystoneng keystore kubeadm kubernetes layman ldap ldap3 ' +
      'libcloud_compute libcloud_dns libcloud_loadbalancer libcloud_storage logadm lvs lxc lxd makeconf ' +
      'mandrill marathon mattermost mdata memcached modjk mongodb monit moosefs mssql msteams munin ' +
      'nagios nagios_rpc namecheap_domains namecheap_domains_dns namecheap_domains_ns namecheap_ssl ' +
      'namecheap_users netbox netmiko netscaler neutron neutronng nexus nginx nictagadm nix nova nspawn ' +
      'omapi openscap openstack_config openstack_mng openvswitch opsgenie pagerduty pagerduty_util ' +
      'panos parallels pcs pdbedit pecl peeringdb pf portage_config ports postfix poudriere powerpath ' +
      'purefa purefb pushbullet pushover qemu_img qemu_nbd rallydev random_org rbenv rebootmgr redis ' +
      'restconf riak runit rvm s3 s6 sensehat sensors serverdensity_device servicenow smtp solr ' +
      'solrcloud splunk splunk_search statuspage svn swarm swift sysbench sysrc system_profiler ' +
      'telegram telemetry testinfra tomcat trafficserver transactional_update travisci tuned twilio ' +
      'uptime uwsgi varnish vault vbox_guest vboxmanage vcenter victorops virt vmadm vmctl wordpress ' +
      'xmpp zabbix zenoss zfs znc zookeeper zpool',
  ),
  /** Runners. */
  runners: words(
    'asam bgp cloud ddns digicert drac f5 launchd lxc mattermost nacl pagerduty pkg spacewalk thin ' +
      'vault venafi virt vistara vmadm',
  ),
  /** Renderers. */
  renderers: words('aws_kms cheetah dson genshi hjson json5 pass pydsl wempy'),
  /** Returners. */
  returners: words(
    'appoptics carbon cassandra_cql couchbase couchdb elasticsearch etcd influxdb kafka librato ' +
      'mattermost memcache mongo mongo_return mysql nagios_nrdp odbc pushover redis sentry slack ' +
      'slack_webhook sms smtp splunk sqlite3 telegram xmpp zabbix',
  ),
  /** External pillars. */
  pillars: words(
    'azureblob cmd_yamlex cobbler confidant consul consul_pillar csv csvpillar digicert django_orm ' +
      'ec2_pillar etcd etcd_pillar foreman hg hg_pillar hiera http_json http_yaml libvirt makostack ' +
      'mongo mysql nacl netbox neutron pepa pillar_ldap puppet reclass reclass_adapter redis redismod ' +
      'rethinkdb rethinkdb_pillar s3 saltclass sqlcipher sqlite3 stack svn svn_pillar varstack ' +
      'varstack_pillar vault venafi virtkey vmware vmware_pillar',
  ),
  /** Beacons. */
  beacons: words(
    'adb aix_account avahi_announce bonjour_announce btmp glxinfo haproxy imgadm junos_rre_keys ' +
      'napalm napalm_beacon sensehat smartos_imgadm smartos_vmadm telegram_bot_msg twilio_txt_msg vmadm ' +
      'wtmp',
  ),
  /** Engines. */
  engines: words(
    'docker_events fluent http_logstash ircbot junos_syslog libvirt_events logentries logstash ' +
      'logstash_engine napalm_syslog redis redis_sentinel slack slack_bolt slack_bolt_engine sqs_events ' +
      'stalekey',
  ),
  /** Drivers of `sdb://`. */
  sdb: words('cache confidant consul couchdb etcd_db keyring_db memcached redis_sdb rest sqlite3 tism vault'),
  /** Systems of `external_auth`. */
  auths: words('django keystone mysql yubico'),
  /** Backends of the file server, without `fs` at their end. */
  backends: words('azure hg s3 svn'),
  /** Backends of queues. */
  queues: words('pgjsonb_queue sqlite_queue'),
};
