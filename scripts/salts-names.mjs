/**
 * The names that Salt 3006 and 3007 have of execution modules and state modules, ours among them; those of which Brine
 * has nothing are written into `src/runtime/loader/salts-names.generated.ts` by `generate-plugins.mjs`.
 */
const words = (text) => text.trim().split(/\s+/);

/** Execution modules. */
export const SALTS_MODULES = words(`
  acl acme aliases alternatives ansible apache apcups apf appx aptly archive artifactory assistive at auditpol augeas
  autoruns aws_sqs azurearm_compute azurearm_dns azurearm_network azurearm_resource bamboohr baredoc bcache beacons
  bgp bigip bluetooth boto3_elasticache boto3_elasticsearch boto3_route53 boto3_sns boto_apigateway boto_asg boto_cfn
  boto_cloudfront boto_cloudtrail boto_cloudwatch boto_cloudwatch_event boto_cognitoidentity boto_datapipeline
  boto_dynamodb boto_ec2 boto_efs boto_elasticache boto_elasticsearch_domain boto_elb boto_elbv2 boto_iam boto_iot
  boto_kinesis boto_kms boto_lambda boto_rds boto_route53 boto_s3 boto_s3_bucket boto_secgroup boto_sns boto_sqs
  boto_ssm boto_vpc bower bridge btrfs buildout cabal capirca cassandra_cql celery ceph certutil chassis chef
  chocolatey chronos chroot cimc ciscoconfparse cisconso cloud cmd composer config consul container_resource cp cpan
  cron cryptdev csf cyg daemontools data datadog ddns debconf defaults desktop devinfo devmap dig disk dism django
  dnsmasq dnsutil docker dockercompose drac dracr drbd dsc eix elasticsearch environ eselect esxcluster esxdatacenter
  esxi esxvm etcd ethtool event extfs file firewall firewalld fmadm freebsd_update freezer gcp gem genesis gentoolkit
  git github glanceng glassfish glusterfs gnome google_chat gpg grafana4 grains group grub guestfs hadoop haproxy
  hashutil heat helm hg highstate_doc hosts http icinga2 idem ifttt ilo imgadm incron influxdb influxdb08 infoblox ini
  inspector introspect iosconfig ip ipmi ipset iptables iwtools jail jboss7 jboss7_cli jenkins jinja jira junos k8s
  kapacitor kerberos kernelpkg key keyboard keychain keystone keystoneng keystore kmod kubeadm kubernetes layman ldap
  ldap3 lgpo lgpo_reg libcloud_compute libcloud_dns libcloud_loadbalancer libcloud_storage license locale locate log
  logadm logrotate lowpkg lvm lvs lxc lxd macdefaults macpackage makeconf mandrill marathon match mattermost mdata
  memcached mine minion modjk mongodb monit moosefs mount mssql msteams munin mysql nacl nagios nagios_rpc
  namecheap_domains namecheap_domains_dns namecheap_domains_ns namecheap_ssl namecheap_users napalm napalm_formula
  napalm_yang net netacl netaddress netbox netmiko netscaler network neutron neutronng nexus nfs3 nftables nginx
  nictagadm nix nova npm nspawn ntp nxos nxos_api omapi openscap openstack_config openstack_mng openvswitch opsgenie
  oracle osquery out pagerduty pagerduty_util pam panos parallels partition pcs pdbedit pecl peeringdb pf pillar pip
  pkg pkg_resource pkgbuild pkgutil portage_config ports postfix postgres poudriere power powercfg powerpath probes
  proxy ps psget publish puppet purefa purefb pushbullet pushover pyeapi pyenv qemu_img qemu_nbd quota rabbitmq raid
  rallydev random random_org rbac rbenv rdp rebootmgr redis reg rest_sample_utils restartcheck restconf ret riak route
  rpmbuild rsync runit rvm s3 s6 salt_proxy salt_version saltcheck saltcloud saltutil schedule scp scsi sdb seed
  selinux sensehat sensors serverdensity_device service servicenow shadow shortcut slack slsutil smbios smtp snapper
  snmp softwareupdate solr solrcloud splunk splunk_search sqlite3 ssh state status statuspage supervisord svn swarm
  swift sys sysbench sysctl sysfs syslog_ng sysrc system system_profiler task telegram telemetry temp test
  test_virtual textfsm timezone tls tomcat trafficserver transactional_update travisci tuned twilio udev uptime user
  users uwsgi vagrant varnish vault vbox_guest vboxmanage vcenter victorops virt virtualenv vmadm vmctl vsphere
  webutil win_dacl win_dns_client win_event win_iis win_path win_pki win_servermanager win_smtp_server win_snmp
  win_wua winrepo wordpress wusa x509 xattr xfs xml xmpp yaml zabbix zenoss zfs zk_concurrency znc zoneadm zonecfg
  zookeeper zpool
`);

/** State modules. */
export const SALTS_STATES = words(`
  acl acme alias alternatives ansible apache apache_conf apache_module apache_site appx apt archive artifactory
  assistive at augeas aws_sqs azurearm_compute azurearm_dns azurearm_network azurearm_resource beacon bigip blockdev
  boto3_elasticache boto3_elasticsearch boto3_route53 boto3_sns boto_apigateway boto_asg boto_cfn boto_cloudfront
  boto_cloudtrail boto_cloudwatch_alarm boto_cloudwatch_event boto_cognitoidentity boto_datapipeline boto_dynamodb
  boto_ec2 boto_elasticache boto_elasticsearch_domain boto_elb boto_elbv2 boto_iam boto_iam_role boto_iot boto_kinesis
  boto_kms boto_lambda boto_lc boto_rds boto_route53 boto_s3 boto_s3_bucket boto_secgroup boto_sns boto_sqs boto_vpc
  bower btrfs buildout cabal ceph certutil chef chocolatey chronos_job cimc cisconso cloud cmd composer consul cron
  cryptdev csf cyg ddns debconf dellchassis disk dism docker_container docker_image docker_network docker_volume drac
  dvs elasticsearch elasticsearch_index elasticsearch_index_template environ eselect esxcluster esxdatacenter esxi
  esxvm etcd ethtool event file firewall firewalld gem git github glance_image glassfish glusterfs gnomedesktop gpg
  grafana grafana4_dashboard grafana4_datasource grafana4_org grafana4_user grafana_dashboard grafana_datasource
  grains group heat helm hg highstate_doc host http icinga2 idem ifttt incron influxdb08_database influxdb08_user
  influxdb_continuous_query influxdb_database influxdb_retention_policy influxdb_user infoblox_a infoblox_cname
  infoblox_host_record infoblox_range ini ipmi ipset iptables jboss7 jenkins junos kapacitor kernelpkg keyboard
  keychain keystone keystone_domain keystone_endpoint keystone_group keystone_project keystone_role
  keystone_role_grant keystone_service keystone_user keystore kmod kubernetes layman ldap lgpo lgpo_reg libcloud_dns
  libcloud_loadbalancer libcloud_storage license locale logadm logrotate loop lvm lvs_server lvs_service lxc lxd
  lxd_container lxd_image lxd_profile macdefaults macpackage makeconf marathon_app memcached modjk modjk_worker module
  mongodb_database mongodb_user monit mount mssql_database mssql_login mssql_role mssql_user msteams mysql_database
  mysql_grants mysql_query mysql_user napalm_yang netacl netconfig netntp netsnmp netusers network neutron_network
  neutron_secgroup neutron_secgroup_rule neutron_subnet nexus nfs_export nftables npm ntp nxos openstack_config
  openvswitch_bridge openvswitch_db openvswitch_port opsgenie pagerduty pagerduty_escalation_policy pagerduty_schedule
  pagerduty_service pagerduty_user panos pbm pcs pdbedit pecl pip pkg pkgbuild pkgng pkgrepo portage_config ports
  postgres_cluster postgres_database postgres_extension postgres_group postgres_initdb postgres_language
  postgres_privileges postgres_schema postgres_tablespace postgres_user powercfg powerpath probes process proxy
  pushover pyenv pyrax_queues quota rabbitmq_cluster rabbitmq_plugin rabbitmq_policy rabbitmq_upstream rabbitmq_user
  rabbitmq_vhost raid rbac rbenv rdp redis reg restconf rsync rvm salt salt_proxy saltutil schedule selinux
  serverdensity_device service shortcut slack smartos smtp snapper solrcloud splunk splunk_search sqlite3 ssh_auth
  ssh_known_hosts stateconf status statuspage supervisord svn sysctl sysfs syslog_ng sysrc system task telemetry_alert
  test testinfra timezone tls tomcat trafficserver tuned uptime user vagrant vault vbox_guest victorops virt
  virtualenv webutil win_dacl win_dns_client win_firewall win_iis win_path win_pki win_servermanager win_smtp_server
  win_snmp winrepo wordpress wua wusa x509 xattr xml xmpp zabbix_action zabbix_host zabbix_hostgroup zabbix_mediatype
  zabbix_template zabbix_user zabbix_usergroup zabbix_usermacro zabbix_valuemap zenoss zfs zk_concurrency zone
  zookeeper zpool
`);

/** Execution functions of modules that are here, as far as Salt has them on Linux and they were missing once. */
export const SALTS_FUNCTIONS = words(`
  lxc.add_veth lxc.bootstrap lxc.cloud_init lxc.cloud_init_interface lxc.copy_to lxc.cp lxc.edit_conf lxc.init
  lxc.reconfigure lxc.running_systemd lxc.set_dns lxc.set_pass lxc.set_password lxc.systemd_running_state
  lxc.test_bare_started_state lxc.test_sd_started_state lxc.update_lxc_conf lxc.wait_started network.ip_neighs
  network.ip_neighs6 ps.get_users saltutil.sync_tops saltutil.sync_wrapper virt.all_capabilities virt.capabilities
  virt.cpu_baseline virt.define_vol_xml_path virt.define_vol_xml_str virt.domain_capabilities virt.get_profiles
  virt.migrate virt.migrate_start_postcopy virt.network_define virt.network_update virt.node_devices
  virt.pool_capabilities virt.pool_define virt.pool_update virt.seed_non_shared_migrate virt.vm_diskstats
  virt.vm_netstats virt.volume_define virt.volume_infos virt.volume_upload
`);
