/**
 * Names of execution modules and functions that Salt 3006 and 3007 have and Brine does not, so that a call of one is
 * told from a slip of the pen. A name that is implemented leaves this list: a test says so.
 */

const MODULES: ReadonlySet<string> = new Set(
  (
    'ansible apcups apf appx aptly artifactory assistive auditpol autoruns aws_sqs ' +
    'azurearm_compute azurearm_dns azurearm_network azurearm_resource bamboohr baredoc bcache bgp bigip ' +
    'bluetooth boto3_elasticache boto3_elasticsearch boto3_route53 boto3_sns boto_apigateway boto_asg ' +
    'boto_cfn boto_cloudfront boto_cloudtrail boto_cloudwatch boto_cloudwatch_event ' +
    'boto_cognitoidentity boto_datapipeline boto_dynamodb boto_ec2 boto_efs boto_elasticache ' +
    'boto_elasticsearch_domain boto_elb boto_elbv2 boto_iam boto_iot boto_kinesis boto_kms boto_lambda ' +
    'boto_rds boto_route53 boto_s3 boto_s3_bucket boto_secgroup boto_sns boto_sqs boto_ssm boto_vpc ' +
    'bower bridge btrfs cabal capirca cassandra_cql celery ceph certutil chassis chef ' +
    'chocolatey chronos chroot cimc ciscoconfparse cisconso cloud container_resource cpan ' +
    'cryptdev csf cyg daemontools datadog ddns desktop devinfo devmap dism django dnsmasq dockercompose ' +
    'drac dracr dsc eix eselect esxcluster esxdatacenter esxi esxvm ethtool ' +
    'firewall fmadm freebsd_update freezer gcp genesis gentoolkit github glanceng glassfish gnome ' +
    'google_chat grub guestfs hadoop haproxy heat highstate_doc idem ifttt ilo ' +
    'imgadm influxdb08 infoblox inspector introspect iosconfig ipmi iwtools jail jboss7 jboss7_cli ' +
    'jenkins jira junos k8s kapacitor kerberos kernelpkg keychain keystone keystoneng keystore kubeadm ' +
    'kubernetes layman lgpo lgpo_reg libcloud_compute libcloud_dns libcloud_loadbalancer ' +
    'libcloud_storage license logadm lvs lxd macdefaults macpackage makeconf mandrill marathon ' +
    'mattermost mdata memcached modjk monit moosefs mssql msteams munin nagios nagios_rpc ' +
    'namecheap_domains namecheap_domains_dns namecheap_domains_ns namecheap_ssl namecheap_users napalm ' +
    'napalm_formula napalm_yang net netacl netaddress netbox netmiko netscaler neutron neutronng nexus ' +
    'nginx nictagadm nix nova nspawn ntp nxos nxos_api omapi openscap openstack_mng opsgenie oracle ' +
    'osquery pagerduty pagerduty_util pam panos parallels pcs peeringdb pf pkgbuild pkgutil ' +
    'portage_config ports poudriere power powercfg powerpath probes proxy psget puppet ' +
    'purefa purefb pushbullet pushover pyeapi qemu_nbd rallydev random_org rbac rdp ' +
    'rebootmgr reg rest_sample_utils restartcheck restconf riak route rpmbuild runit s3 s6 ' +
    'salt_proxy saltcloud scp scsi seed sensehat sensors serverdensity_device servicenow ' +
    'shortcut snapper snmp softwareupdate solr solrcloud splunk splunk_search ' +
    'statuspage swarm swift sysbench syslog_ng system_profiler task telegram telemetry ' +
    'test_virtual textfsm tomcat trafficserver transactional_update travisci twilio udev uptime ' +
    'users uwsgi vagrant varnish vbox_guest vboxmanage vcenter victorops vmadm vmctl vsphere ' +
    'win_dacl win_dns_client win_event win_iis win_path win_pki win_servermanager win_smtp_server ' +
    'win_snmp win_wua winrepo wordpress wusa xattr xfs xmpp yaml zabbix zenoss zk_concurrency ' +
    'znc zoneadm zonecfg zookeeper '
  ).split(' '),
);

/** Functions of modules that are here, as far as Salt has them on Linux. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'lxc.add_veth lxc.bootstrap lxc.cloud_init lxc.cloud_init_interface lxc.copy_to lxc.cp ' +
    'lxc.edit_conf lxc.init lxc.reconfigure lxc.running_systemd lxc.set_dns lxc.set_pass ' +
    'lxc.set_password lxc.systemd_running_state lxc.test_bare_started_state lxc.test_sd_started_state ' +
    'lxc.update_lxc_conf lxc.wait_started network.ip_neighs network.ip_neighs6 ps.get_users ' +
    'saltutil.sync_tops saltutil.sync_wrapper virt.all_capabilities virt.capabilities ' +
    'virt.cpu_baseline virt.define_vol_xml_path virt.define_vol_xml_str virt.domain_capabilities ' +
    'virt.get_profiles virt.migrate virt.migrate_start_postcopy virt.network_define ' +
    'virt.network_update virt.node_devices virt.pool_capabilities virt.pool_define virt.pool_update ' +
    'virt.seed_non_shared_migrate virt.vm_diskstats virt.vm_netstats virt.volume_define ' +
    'virt.volume_infos virt.volume_upload'
  ).split(' '),
);

/** How to have it all the same. */
const REMEDY = '; where a Salt is installed it is there with salt_python: True.';

/**
 * What is said of an execution function that was not found.
 * @param fun its full name, or a word without a dot
 * @param isSaltPython an installed Salt has been asked, too
 */
export function missingFunctionText(fun: string, isSaltPython = false): string {
  const remedy = isSaltPython ? '.' : REMEDY;
  const module = fun.split('.')[0] ?? '';
  if (fun.includes('.') && MODULES.has(module))
    return `'${fun}' is not available here: Brine does not have Salt's module ${module}${remedy}`;
  if (FUNCTIONS.has(fun))
    return `'${fun}' is not available here: Brine does not have this function of Salt${remedy}`;
  return `'${fun}' is not available.`;
}

/** Whether Salt has this execution function where Brine does not. @param fun its full name */
export function isSaltsFunction(fun: string): boolean {
  return MODULES.has(fun.split('.')[0] ?? '') || FUNCTIONS.has(fun);
}
