# Completion of Brine's commands for bash.
# Candidates are read line by line and quoted: an id such as `$(x)` stays a word.
_brine_add() {
  local word quoted
  while IFS= read -r word; do
    [[ "$word" == "$1"* ]] || continue
    printf -v quoted %q "$word"
    COMPREPLY+=("$quoted")
  done
}
_brine_words() {
  local current="$1"
  shift
  _brine_add "$current" < <(printf '%s\n' "$@")
}
_brine_ids() {
  local -a config=()
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      -c | --config-dir) [[ "${COMP_WORDS[i + 1]}" == = ]] && config=(-c "${COMP_WORDS[i + 2]}") || config=(-c "${COMP_WORDS[i + 1]}") ;;
    esac
  done
  _brine_add "$1" < <(command salt-key "${config[@]}" --out=newline_values_only --list="$2" 2>/dev/null </dev/null)
}
_brine_files() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$2" -- "$1")
  compopt -o filenames 2>/dev/null
}
_brine_functions() { _brine_words "$1" acl.delfacl acl.getfacl acl.modfacl acl.version acl.wipefacls acme.cert acme.certs acme.expires acme.has acme.info acme.needs_renewal acme.renew_by aliases.get_target aliases.has_target aliases.list_aliases aliases.rm_alias aliases.set_target alternatives.auto alternatives.check_exists alternatives.check_installed alternatives.display alternatives.install alternatives.remove alternatives.set alternatives.show_current alternatives.show_link apache.a2disconf apache.a2dismod apache.a2dissite apache.a2enconf apache.a2enmod apache.a2ensite apache.check_conf_enabled apache.check_mod_enabled apache.check_site_enabled apache.config apache.directives apache.fullversion apache.modules apache.server_status apache.servermods apache.signal apache.useradd apache.userdel apache.version apache.vhosts archive.cmd_unzip archive.cmd_zip archive.gunzip archive.gzip archive.is_encrypted archive.list archive.rar archive.tar archive.unrar archive.unzip archive.zip at.at at.atc at.atq at.atrm at.jobcheck augeas.execute augeas.get augeas.ls augeas.match augeas.remove augeas.setvalue augeas.tree beacons.add beacons.delete beacons.disable beacons.disable_beacon beacons.enable beacons.enable_beacon beacons.list beacons.list_available beacons.modify beacons.reset beacons.save buildout.bootstrap buildout.buildout buildout.run_buildout buildout.upgrade_bootstrap cmd.exec_code cmd.exec_code_all cmd.has_exec cmd.powershell cmd.powershell_all cmd.retcode cmd.run cmd.run_all cmd.run_bg cmd.run_chroot cmd.run_stderr cmd.run_stdout cmd.script cmd.script_retcode cmd.shell cmd.shell_info cmd.shells cmd.tty cmd.which cmd.which_bin composer.did_composer_install composer.install composer.selfupdate composer.update config.backup_mode config.dot_vals config.gather_bootstrap_script config.get config.items config.manage_mode config.merge config.option config.valid_fileproto consul.acl_clone consul.acl_create consul.acl_delete consul.acl_info consul.acl_list consul.acl_update consul.agent_check_deregister consul.agent_check_fail consul.agent_check_pass consul.agent_check_register consul.agent_check_warn consul.agent_checks consul.agent_join consul.agent_leave consul.agent_maintenance consul.agent_members consul.agent_self consul.agent_service_deregister consul.agent_service_maintenance consul.agent_service_register consul.agent_services consul.catalog_datacenters consul.catalog_deregister consul.catalog_node consul.catalog_nodes consul.catalog_register consul.catalog_service consul.catalog_services consul.delete consul.event_fire consul.event_list consul.get consul.health_checks consul.health_node consul.health_service consul.health_state consul.list consul.put consul.session_create consul.session_destroy consul.session_info consul.session_list consul.status_leader consul.status_peers cp.cache_dest cp.cache_dir cp.cache_file cp.cache_files cp.cache_local_file cp.cache_master cp.envs cp.get_dir cp.get_file cp.get_file_str cp.get_template cp.get_url cp.hash_file cp.is_cached cp.list_master cp.list_master_dirs cp.list_master_symlinks cp.list_minion cp.list_states cp.push cp.push_dir cp.recv cp.recv_chunked cp.stat_file cron.get_entry cron.list_tab cron.ls cron.raw_cron cron.rm cron.rm_env cron.rm_job cron.rm_special cron.set_env cron.set_job cron.set_special cron.write_cron_file cron.write_cron_file_verbose data.cas data.clear data.dump data.get data.has_key data.items data.keys data.load data.pop data.update data.values debconf.get_selections debconf.set debconf.set_file debconf.set_template debconf.show defaults.deepcopy defaults.get defaults.merge defaults.update dig.A dig.AAAA dig.CNAME dig.MX dig.NS dig.PTR dig.SPF dig.TXT dig.a dig.aaaa dig.check_ip dig.cname dig.mx dig.ns dig.ptr dig.spf disk.blkid disk.dump disk.format disk.fstype disk.get_fstype_from_path disk.hdparms disk.hpa disk.inodeusage disk.iostat disk.percent disk.resize2fs disk.smart_attributes disk.tune disk.usage disk.wipe dnsutil.A dnsutil.AAAA dnsutil.MX dnsutil.NS dnsutil.SPF dnsutil.check_ip dnsutil.hosts_append dnsutil.hosts_remove dnsutil.parse_hosts dnsutil.parse_zone dnsutil.serial docker.build docker.compare_container_networks docker.compare_containers docker.compare_networks docker.connect_container_to_network docker.connected docker.create docker.create_network docker.create_volume docker.depends docker.disconnect_all_containers_from_network docker.disconnect_container_from_network docker.exists docker.images docker.info docker.inspect docker.inspect_container docker.inspect_image docker.inspect_network docker.inspect_volume docker.kill docker.list_containers docker.list_tags docker.load docker.login docker.logout docker.logs docker.networks docker.pause docker.port docker.ps docker.pull docker.push docker.remove_network docker.remove_volume docker.rename docker.resolve_image_id docker.resolve_tag docker.restart docker.retcode docker.rm docker.rmi docker.run docker.run_all docker.run_container docker.run_stderr docker.run_stdout docker.signal docker.start docker.state docker.stop docker.tag docker.unpause docker.version docker.volumes docker.wait drbd.overview drbd.status elasticsearch.alias_create elasticsearch.alias_delete elasticsearch.alias_exists elasticsearch.alias_get elasticsearch.cluster_get_settings elasticsearch.cluster_health elasticsearch.cluster_put_settings elasticsearch.cluster_stats elasticsearch.document_create elasticsearch.document_delete elasticsearch.document_exists elasticsearch.document_get elasticsearch.flush_synced elasticsearch.index_close elasticsearch.index_create elasticsearch.index_delete elasticsearch.index_exists elasticsearch.index_get elasticsearch.index_get_settings elasticsearch.index_open elasticsearch.index_put_settings elasticsearch.index_template_create elasticsearch.index_template_delete elasticsearch.index_template_exists elasticsearch.index_template_get elasticsearch.info elasticsearch.mapping_create elasticsearch.mapping_delete elasticsearch.mapping_get elasticsearch.node_info elasticsearch.ping elasticsearch.pipeline_create elasticsearch.pipeline_delete elasticsearch.pipeline_get elasticsearch.pipeline_simulate elasticsearch.repository_create elasticsearch.repository_delete elasticsearch.repository_get elasticsearch.repository_verify elasticsearch.search_template_create elasticsearch.search_template_delete elasticsearch.search_template_get elasticsearch.snapshot_create elasticsearch.snapshot_delete elasticsearch.snapshot_get elasticsearch.snapshot_restore elasticsearch.snapshot_status environ.get environ.has_value environ.item environ.items environ.setenv environ.setval etcd.get etcd.ls etcd.rm etcd.set etcd.tree etcd.update etcd.watch event.fire event.fire_master event.send extfs.attributes extfs.blocks extfs.dump extfs.mkfs extfs.tune file.access file.append file.apply_template_on_contents file.basename file.blockreplace file.chattr file.check_file_meta file.check_hash file.check_managed file.check_managed_changes file.check_perms file.chgrp file.chown file.comment file.comment_line file.contains file.contains_glob file.contains_regex file.copy file.delete_backup file.directory_exists file.dirname file.diskusage file.extract_hash file.file_exists file.find file.get_devmm file.get_diff file.get_gid file.get_group file.get_hash file.get_managed file.get_mode file.get_selinux_context file.get_source_sum file.get_sum file.get_uid file.get_user file.gid_to_group file.grep file.group_to_gid file.is_blkdev file.is_chrdev file.is_fifo file.is_hardlink file.is_link file.join file.lchown file.line file.link file.list_backup file.list_backups file.list_backups_dir file.lsattr file.lstat file.makedirs file.makedirs_perms file.manage_file file.mkdir file.mknod file.mknod_blkdev file.mknod_chrdev file.mknod_fifo file.move file.normpath file.open_files file.pardir file.patch file.path_exists_glob file.prepend file.psed file.read file.readdir file.readlink file.remove file.remove_backup file.rename file.replace file.restore_backup file.restorecon file.rmdir file.search file.sed file.sed_contains file.seek_read file.seek_write file.set_mode file.set_selinux_context file.source_list file.stats file.statvfs file.symlink file.touch file.truncate file.uid_to_user file.uncomment file.user_to_uid file.write firewalld.add_interface firewalld.add_masquerade firewalld.add_port firewalld.add_port_fwd firewalld.add_rich_rule firewalld.add_service firewalld.add_service_port firewalld.add_service_protocol firewalld.add_source firewalld.allow_icmp firewalld.block_icmp firewalld.default_zone firewalld.delete_service firewalld.delete_zone firewalld.get_icmp_types firewalld.get_interfaces firewalld.get_masquerade firewalld.get_rich_rules firewalld.get_service_ports firewalld.get_service_protocols firewalld.get_services firewalld.get_sources firewalld.get_zones firewalld.list_all firewalld.list_icmp_block firewalld.list_port_fwd firewalld.list_ports firewalld.list_services firewalld.list_zones firewalld.make_permanent firewalld.new_service firewalld.new_zone firewalld.reload_rules firewalld.remove_interface firewalld.remove_masquerade firewalld.remove_port firewalld.remove_port_fwd firewalld.remove_rich_rule firewalld.remove_service firewalld.remove_service_port firewalld.remove_service_protocol firewalld.remove_source firewalld.set_default_zone firewalld.version gem.install gem.list gem.list_upgrades gem.sources_add gem.sources_list gem.sources_remove gem.uninstall gem.update gem.update_system gem.version git.add git.archive git.branch git.checkout git.clone git.commit git.config_get git.config_get_regex git.config_get_regexp git.config_set git.config_unset git.current_branch git.describe git.diff git.discard_local_changes git.fetch git.init git.is_worktree git.list_branches git.list_tags git.list_worktrees git.ls_remote git.merge git.merge_base git.merge_tree git.pull git.push git.rebase git.remote_get git.remote_refs git.remote_set git.remotes git.reset git.rev_parse git.revision git.rm git.stash git.status git.submodule git.symbolic_ref git.tag git.version git.worktree_add git.worktree_prune git.worktree_rm glusterfs.add_volume_bricks glusterfs.create_volume glusterfs.delete_volume glusterfs.disable_quota_volume glusterfs.enable_quota_volume glusterfs.get_max_op_version glusterfs.get_op_version glusterfs.get_version glusterfs.info glusterfs.list_quota_volume glusterfs.list_volumes glusterfs.peer glusterfs.peer_status glusterfs.set_op_version glusterfs.set_quota_volume glusterfs.start_volume glusterfs.status glusterfs.stop_volume glusterfs.unset_quota_volume gpg.create_key gpg.decrypt gpg.delete_key gpg.encrypt gpg.export_key gpg.get_key gpg.get_secret_key gpg.import_key gpg.list_keys gpg.list_secret_keys gpg.receive_keys gpg.search_keys gpg.sign gpg.trust_key gpg.verify grafana4.create_datasource grafana4.create_org grafana4.create_org_user grafana4.create_update_dashboard grafana4.create_user grafana4.delete_dashboard grafana4.delete_datasource grafana4.delete_org grafana4.delete_org_user grafana4.delete_user grafana4.delete_user_org grafana4.get_dashboard grafana4.get_datasource grafana4.get_datasources grafana4.get_org grafana4.get_org_address grafana4.get_org_prefs grafana4.get_org_users grafana4.get_orgs grafana4.get_user grafana4.get_user_data grafana4.get_user_orgs grafana4.get_users grafana4.switch_org grafana4.update_datasource grafana4.update_org grafana4.update_org_address grafana4.update_org_prefs grafana4.update_org_user grafana4.update_user grafana4.update_user_password grafana4.update_user_permissions grains.append grains.delkey grains.delval grains.equals grains.fetch grains.filter_by grains.get grains.has_value grains.item grains.items grains.ls grains.remove grains.set grains.setval grains.setvals group.add group.adduser group.chgid group.delete group.deluser group.getent group.info group.members hashutil.base64_b64decode hashutil.base64_b64encode hashutil.base64_decodefile hashutil.base64_decodestring hashutil.base64_encodefile hashutil.base64_encodestring hashutil.digest hashutil.digest_file hashutil.github_signature hashutil.hmac_compute hashutil.hmac_signature hashutil.md5_digest hashutil.sha256_digest hashutil.sha512_digest helm.completion helm.create helm.dependency_build helm.dependency_list helm.dependency_update helm.env helm.get_all helm.get_hooks helm.get_manifest helm.get_notes helm.get_values helm.help helm.history helm.install helm.lint helm.list helm.package helm.plugin_install helm.plugin_list helm.plugin_uninstall helm.plugin_update helm.pull helm.repo_add helm.repo_index helm.repo_list helm.repo_manage helm.repo_remove helm.repo_update helm.rollback helm.search_hub helm.search_repo helm.show_all helm.show_chart helm.show_readme helm.show_values helm.status helm.template helm.test helm.uninstall helm.upgrade helm.verify helm.version hg.archive hg.clone hg.describe hg.pull hg.revision hg.status hg.update hosts.add_host hosts.get_alias hosts.get_ip hosts.has_pair hosts.list_hosts hosts.rm_host hosts.set_comment hosts.set_host http.query http.update_ca_bundle http.wait_for_successful_query icinga2.generate_cert icinga2.generate_ticket icinga2.node_setup icinga2.request_cert icinga2.save_cert incron.list_tab incron.ls incron.raw_incron incron.raw_system_incron incron.rm incron.rm_job incron.set_job incron.write_incron_file incron.write_incron_file_verbose influxdb.alter_retention_policy influxdb.continuous_query_exists influxdb.create_continuous_query influxdb.create_db influxdb.create_retention_policy influxdb.create_user influxdb.db_exists influxdb.drop_continuous_query influxdb.drop_db influxdb.drop_retention_policy influxdb.get_continuous_query influxdb.get_retention_policy influxdb.grant_admin_privileges influxdb.grant_privilege influxdb.list_dbs influxdb.list_privileges influxdb.list_users influxdb.query influxdb.remove_user influxdb.retention_policy_exists influxdb.revoke_admin_privileges influxdb.revoke_privilege influxdb.set_user_password influxdb.user_exists influxdb.user_info ini.get_ini ini.get_option ini.get_section ini.remove_option ini.remove_section ini.set_option ip.apply_network_settings ip.build_bond ip.build_interface ip.build_network_settings ip.build_routes ip.down ip.get_bond ip.get_interface ip.get_network_settings ip.get_routes ip.up ipset.add ipset.check ipset.check_set ipset.delete ipset.delete_set ipset.flush ipset.list_sets ipset.new_set ipset.rename_set ipset.test ipset.version iptables.append iptables.build_rule iptables.check iptables.check_chain iptables.delete iptables.delete_chain iptables.flush iptables.get_policy iptables.get_rules iptables.get_saved_policy iptables.get_saved_rules iptables.insert iptables.new_chain iptables.save iptables.set_policy iptables.version jinja.import_json jinja.import_yaml jinja.load_map key.finger key.finger_master keyboard.get_sys keyboard.get_x keyboard.set_sys keyboard.set_x kmod.available kmod.check_available kmod.is_loaded kmod.load kmod.lsmod kmod.mod_list kmod.remove ldap.search ldap3.add ldap3.change ldap3.connect ldap3.delete ldap3.modify ldap3.search locale.avail locale.gen_locale locale.get_locale locale.list_avail locale.set_locale locate.locate locate.stats locate.updatedb locate.version log.critical log.debug log.error log.exception log.info log.warning logrotate.get logrotate.set logrotate.show_conf lowpkg.bin_pkg_info lowpkg.checksum lowpkg.diff lowpkg.file_dict lowpkg.file_list lowpkg.info lowpkg.list_pkgs lowpkg.modified lowpkg.owner lowpkg.unpurge lowpkg.verify lowpkg.version_cmp lvm.fullversion lvm.lvcreate lvm.lvdisplay lvm.lvextend lvm.lvremove lvm.lvresize lvm.pvcreate lvm.pvdisplay lvm.pvremove lvm.pvresize lvm.version lvm.vgcreate lvm.vgdisplay lvm.vgextend lvm.vgremove lxc.apply_network_profile lxc.attachable lxc.clone lxc.create lxc.destroy lxc.exists lxc.freeze lxc.get_container_profile lxc.get_network_profile lxc.get_parameter lxc.get_pid lxc.get_root_path lxc.images lxc.info lxc.list lxc.ls lxc.read_conf lxc.reboot lxc.remove lxc.restart lxc.retcode lxc.run lxc.run_all lxc.run_stderr lxc.run_stdout lxc.search_lxc_bridge lxc.search_lxc_bridges lxc.set_parameter lxc.start lxc.state lxc.stop lxc.templates lxc.unfreeze lxc.version lxc.write_conf match.compound match.data match.filter_by match.glob match.grain match.grain_pcre match.ifelse match.ipcidr match.list match.pcre match.pillar match.pillar_pcre match.search_by mine.delete mine.flush mine.get mine.get_docker mine.send mine.update mine.valid minion.kill minion.list minion.restart mongodb.collection_create mongodb.collection_drop mongodb.collections_list mongodb.db_exists mongodb.db_list mongodb.db_remove mongodb.find mongodb.insert mongodb.remove mongodb.update_one mongodb.user_create mongodb.user_exists mongodb.user_find mongodb.user_grant_roles mongodb.user_list mongodb.user_remove mongodb.user_revoke_roles mongodb.user_roles_exists mongodb.version mount.active mount.automaster mount.delete_mount_cache mount.filesystems mount.fstab mount.get_device_from_path mount.get_mount_from_path mount.is_fuse_exec mount.is_mounted mount.mount mount.read_mount_cache mount.remount mount.rm_automaster mount.rm_filesystems mount.rm_fstab mount.rm_vfstab mount.set_automaster mount.set_filesystems mount.set_fstab mount.set_vfstab mount.swapoff mount.swapon mount.swaps mount.umount mount.vfstab mount.write_mount_cache mysql.alter_db mysql.db_check mysql.db_create mysql.db_exists mysql.db_get mysql.db_list mysql.db_optimize mysql.db_remove mysql.db_repair mysql.db_tables mysql.file_query mysql.free_slave mysql.get_master_status mysql.get_slave_status mysql.grant_add mysql.grant_exists mysql.grant_revoke mysql.plugin_add mysql.plugin_remove mysql.plugin_status mysql.plugins_list mysql.processlist mysql.query mysql.quote_identifier mysql.showglobal mysql.showvariables mysql.slave_lag mysql.status mysql.tokenize_grant mysql.user_chpass mysql.user_create mysql.user_exists mysql.user_grants mysql.user_info mysql.user_list mysql.user_remove mysql.verify_login mysql.version nacl.dec nacl.dec_file nacl.enc nacl.enc_file nacl.keygen nacl.sealedbox_decrypt nacl.sealedbox_encrypt nacl.secretbox_decrypt nacl.secretbox_encrypt network.active_tcp network.arp network.calc_net network.connect network.convert_cidr network.default_route network.dig network.fqdns network.get_bufsize network.get_fqdn network.get_hostname network.get_route network.hw_addr network.hwaddr network.ifacestartswith network.in_subnet network.interface network.interface_ip network.interfaces network.ip_addrs network.ip_addrs6 network.ip_in_subnet network.ip_networks network.ip_networks6 network.ipaddrs network.ipaddrs6 network.iphexval network.is_loopback network.is_private network.mod_bufsize network.mod_hostname network.netstat network.ping network.reverse_ip network.routes network.subnets network.subnets6 network.traceroute network.wol nfs3.add_export nfs3.del_export nfs3.list_exports nfs3.reload_exports nftables.append nftables.build_rule nftables.check nftables.check_chain nftables.check_table nftables.delete nftables.delete_chain nftables.delete_table nftables.flush nftables.get_policy nftables.get_rule_handle nftables.get_rules nftables.get_rules_json nftables.get_saved_rules nftables.insert nftables.list_tables nftables.new_chain nftables.new_table nftables.save nftables.set_policy nftables.version npm.cache_clean npm.cache_list npm.cache_path npm.install npm.list npm.uninstall openstack_config.delete openstack_config.get openstack_config.set openvswitch.bridge_create openvswitch.bridge_delete openvswitch.bridge_exists openvswitch.bridge_list openvswitch.bridge_to_parent openvswitch.bridge_to_vlan openvswitch.db_get openvswitch.db_set openvswitch.interface_get_options openvswitch.interface_get_type openvswitch.port_add openvswitch.port_create_gre openvswitch.port_create_vlan openvswitch.port_create_vxlan openvswitch.port_get_tag openvswitch.port_list openvswitch.port_remove partition.align_check partition.check partition.cp partition.disk_set partition.disk_toggle partition.exists partition.get_block_device partition.get_id partition.list partition.mkfs partition.mklabel partition.mkpart partition.mkpartfs partition.name partition.probe partition.rescue partition.resize partition.rm partition.set partition.set_id partition.system_types partition.toggle pdbedit.create pdbedit.delete pdbedit.generate_nt_hash pdbedit.get pdbedit.list pdbedit.modify pecl.install pecl.list pecl.uninstall pecl.update pillar.data pillar.ext pillar.fetch pillar.file_exists pillar.filter_by pillar.get pillar.item pillar.items pillar.keys pillar.ls pillar.obfuscate pillar.raw pip.freeze pip.install pip.is_installed pip.list pip.list_all_versions pip.list_freeze_parse pip.list_upgrades pip.uninstall pip.upgrade pip.upgrade_available pip.version pkg.add_repo_key pkg.autoremove pkg.available_version pkg.clean_locks pkg.clean_metadata pkg.del_repo pkg.del_repo_key pkg.diff pkg.download pkg.file_dict pkg.file_list pkg.get_locked_packages pkg.get_repo pkg.get_repo_keys pkg.get_selections pkg.group_diff pkg.group_info pkg.group_install pkg.group_list pkg.groupinstall pkg.hold pkg.info_available pkg.info_installed pkg.install pkg.latest_version pkg.list_downloaded pkg.list_holds pkg.list_installed_patches pkg.list_installed_patterns pkg.list_locks pkg.list_patches pkg.list_patterns pkg.list_pkgs pkg.list_products pkg.list_provides pkg.list_repo_pkgs pkg.list_repos pkg.list_updates pkg.list_upgrades pkg.mod_repo pkg.modified pkg.normalize_name pkg.owner pkg.parse_arch pkg.purge pkg.refresh_db pkg.remove pkg.resolve_capabilities pkg.search pkg.services_need_restart pkg.set_selections pkg.show pkg.unhold pkg.update pkg.upgrade pkg.upgrade_available pkg.verify pkg.version pkg.version_cmp pkg_resource.add_pkg pkg_resource.check_extra_requirements pkg_resource.format_pkg_list pkg_resource.format_version pkg_resource.pack_sources pkg_resource.parse_targets pkg_resource.sort_pkglist pkg_resource.stringify pkg_resource.version pkg_resource.version_clean pkg_resource.version_compare postfix.delete postfix.hold postfix.requeue postfix.set_main postfix.set_master postfix.show_main postfix.show_master postfix.show_queue postfix.unhold postgres.available_extensions postgres.cluster_create postgres.cluster_exists postgres.cluster_list postgres.cluster_remove postgres.create_extension postgres.create_metadata postgres.datadir_exists postgres.datadir_init postgres.db_alter postgres.db_create postgres.db_exists postgres.db_list postgres.db_remove postgres.drop_extension postgres.get_available_extension postgres.get_installed_extension postgres.group_create postgres.group_remove postgres.group_update postgres.has_privileges postgres.installed_extensions postgres.is_available_extension postgres.is_installed_extension postgres.language_create postgres.language_exists postgres.language_list postgres.language_remove postgres.owner_to postgres.privileges_grant postgres.privileges_list postgres.privileges_revoke postgres.psql_query postgres.role_get postgres.schema_create postgres.schema_exists postgres.schema_get postgres.schema_list postgres.schema_remove postgres.tablespace_alter postgres.tablespace_create postgres.tablespace_exists postgres.tablespace_list postgres.tablespace_remove postgres.user_create postgres.user_exists postgres.user_list postgres.user_remove postgres.user_update postgres.version ps.boot_time ps.cpu_percent ps.cpu_times ps.disk_io_counters ps.disk_partition_usage ps.disk_partitions ps.disk_usage ps.get_pid_list ps.kill_pid ps.lsof ps.netstat ps.network_io_counters ps.num_cpus ps.pgrep ps.pkill ps.proc_info ps.psaux ps.ss ps.status ps.swap_memory ps.top ps.total_physical_memory ps.virtual_memory publish.full_data publish.publish publish.runner pyenv.default pyenv.do pyenv.do_with_python pyenv.install pyenv.install_python pyenv.is_installed pyenv.list pyenv.rehash pyenv.uninstall_python pyenv.update pyenv.versions qemu_img.convert qemu_img.make_image quota.get_mode quota.off quota.on quota.report quota.set quota.stats quota.warn rabbitmq.add_user rabbitmq.add_vhost rabbitmq.change_password rabbitmq.check_password rabbitmq.clear_password rabbitmq.cluster_status rabbitmq.delete_policy rabbitmq.delete_upstream rabbitmq.delete_user rabbitmq.delete_vhost rabbitmq.disable_plugin rabbitmq.enable_plugin rabbitmq.force_reset rabbitmq.join_cluster rabbitmq.list_available_plugins rabbitmq.list_enabled_plugins rabbitmq.list_permissions rabbitmq.list_policies rabbitmq.list_queues rabbitmq.list_queues_vhost rabbitmq.list_upstreams rabbitmq.list_user_permissions rabbitmq.list_users rabbitmq.list_vhosts rabbitmq.plugin_is_enabled rabbitmq.policy_exists rabbitmq.reset rabbitmq.set_permissions rabbitmq.set_policy rabbitmq.set_upstream rabbitmq.set_user_tags rabbitmq.start_app rabbitmq.status rabbitmq.stop_app rabbitmq.upstream_exists rabbitmq.user_exists rabbitmq.vhost_exists raid.add raid.assemble raid.create raid.destroy raid.detail raid.examine raid.list raid.save_config raid.stop random.get_str random.hash random.rand_int random.sample random.seed random.shadow_hash random.shuffle random.str_encode rbenv.default rbenv.do rbenv.do_with_ruby rbenv.install rbenv.install_ruby rbenv.is_installed rbenv.list rbenv.rehash rbenv.uninstall_ruby rbenv.update rbenv.versions redis.bgrewriteaof redis.bgsave redis.config_get redis.config_set redis.dbsize redis.delete redis.exists redis.expire redis.expireat redis.flushall redis.flushdb redis.get_key redis.get_master_ip redis.hdel redis.hexists redis.hget redis.hgetall redis.hincrby redis.hincrbyfloat redis.hlen redis.hmget redis.hmset redis.hscan redis.hset redis.hsetnx redis.hvals redis.info redis.key_type redis.keys redis.lastsave redis.llen redis.lrange redis.ping redis.save redis.sentinel_get_master_ip redis.set_key redis.shutdown redis.slaveof redis.smembers redis.time redis.zcard redis.zrange ret.get_fun ret.get_jid ret.get_jids ret.get_minions rsync.config rsync.rsync rsync.version rvm.do rvm.gemset_copy rvm.gemset_create rvm.gemset_delete rvm.gemset_empty rvm.gemset_list rvm.gemset_list_all rvm.get rvm.install rvm.install_ruby rvm.is_installed rvm.list rvm.reinstall_ruby rvm.rubygems rvm.set_default rvm.wrapper salt_version.equal salt_version.get_release_number salt_version.greater_than salt_version.less_than saltcheck.report_highstate_tests saltcheck.run_highstate_tests saltcheck.run_state_tests saltcheck.run_state_tests_ssh saltcheck.run_test saltcheck.state_apply saltutil.clear_cache saltutil.clear_job_cache saltutil.cmd saltutil.cmd_iter saltutil.find_cached_job saltutil.find_job saltutil.is_running saltutil.kill_all_jobs saltutil.kill_job saltutil.list_extmods saltutil.mmodule saltutil.pillar_refresh saltutil.refresh_beacons saltutil.refresh_grains saltutil.refresh_matchers saltutil.refresh_modules saltutil.refresh_pillar saltutil.regen_keys saltutil.revoke_auth saltutil.runner saltutil.running saltutil.signal_job saltutil.sync_all saltutil.sync_beacons saltutil.sync_clouds saltutil.sync_engines saltutil.sync_executors saltutil.sync_grains saltutil.sync_log_handlers saltutil.sync_matchers saltutil.sync_modules saltutil.sync_output saltutil.sync_outputters saltutil.sync_pillar saltutil.sync_proxymodules saltutil.sync_renderers saltutil.sync_returners saltutil.sync_sdb saltutil.sync_serializers saltutil.sync_states saltutil.sync_thorium saltutil.sync_utils saltutil.term_all_jobs saltutil.term_job saltutil.update saltutil.wheel schedule.add schedule.build_schedule_item schedule.copy schedule.delete schedule.disable schedule.disable_job schedule.enable schedule.enable_job schedule.is_enabled schedule.job_status schedule.list schedule.modify schedule.move schedule.postpone_job schedule.purge schedule.reload schedule.run_job schedule.save schedule.show_next_fire_time schedule.skip_job sdb.delete sdb.get sdb.get_or_set_hash sdb.set selinux.fcontext_add_policy selinux.fcontext_apply_policy selinux.fcontext_delete_policy selinux.fcontext_get_policy selinux.fcontext_policy_is_applied selinux.filetype_id_to_string selinux.getconfig selinux.getenforce selinux.getsebool selinux.getsemod selinux.install_semod selinux.list_sebool selinux.list_semod selinux.port_add_policy selinux.port_delete_policy selinux.port_get_policy selinux.remove_semod selinux.selinux_fs_path selinux.setenforce selinux.setsebool selinux.setsebools selinux.setsemod service.available service.disable service.disabled service.enable service.enabled service.execs service.firstboot service.force_reload service.get_all service.get_disabled service.get_enabled service.get_running service.get_static service.mask service.masked service.missing service.offline service.reload service.restart service.show service.start service.status service.stop service.systemctl_reload service.unmask shadow.default_hash shadow.del_password shadow.gen_password shadow.info shadow.list_users shadow.lock_password shadow.set_date shadow.set_expire shadow.set_inactdays shadow.set_maxdays shadow.set_mindays shadow.set_password shadow.set_warndays shadow.unlock_password slack.call_hook slack.find_room slack.find_user slack.list_rooms slack.list_users slack.post_message slsutil.banner slsutil.boolstr slsutil.deserialize slsutil.dir_exists slsutil.file_exists slsutil.findup slsutil.merge slsutil.merge_all slsutil.path_exists slsutil.renderer slsutil.serialize slsutil.update smbios.get smbios.records smtp.send_msg sqlite3.fetch sqlite3.indexes sqlite3.indices sqlite3.modify sqlite3.sqlite_version sqlite3.tables sqlite3.version ssh.auth_keys ssh.check_key ssh.check_key_file ssh.check_known_host ssh.get_known_host_entries ssh.hash_known_hosts ssh.host_keys ssh.key_is_encrypted ssh.recv_known_host_entries ssh.rm_auth_key ssh.rm_auth_key_from_file ssh.rm_known_host ssh.set_auth_key ssh.set_auth_key_from_file ssh.set_known_host ssh.user_keys state.apply state.check_request state.clear_cache state.clear_request state.disable state.enable state.event state.get_pauses state.high state.highstate state.id_exists state.list_disabled state.low state.orchestrate state.pause state.pkg state.request state.resume state.run_request state.running state.show_highstate state.show_low_sls state.show_lowstate state.show_sls state.show_state_usage state.show_states state.show_top state.single state.sls state.sls_exists state.sls_id state.soft_kill state.template state.template_str state.test state.top status.all_status status.cpuinfo status.cpustats status.custom status.diskstats status.diskusage status.loadavg status.master status.meminfo status.netdev status.netstats status.nproc status.pid status.ping_master status.procs status.proxy_reconnect status.time status.uptime status.version status.vmstats status.w supervisord.add supervisord.custom supervisord.options supervisord.remove supervisord.reread supervisord.restart supervisord.start supervisord.status supervisord.status_bool supervisord.status_raw supervisord.stop supervisord.update svn.add svn.checkout svn.commit svn.diff svn.export svn.info svn.remove svn.status svn.switch svn.update sys.argspec sys.doc sys.list_functions sys.list_modules sys.list_renderers sys.list_returner_functions sys.list_returners sys.list_runner_functions sys.list_runners sys.list_state_functions sys.list_state_modules sys.reload_modules sys.renderer_doc sys.returner_argspec sys.returner_doc sys.runner_argspec sys.runner_doc sys.state_argspec sys.state_doc sys.state_schema sysctl.assign sysctl.default_config sysctl.get sysctl.persist sysctl.show sysfs.attr sysfs.interfaces sysfs.read sysfs.target sysfs.write sysrc.get sysrc.remove sysrc.set system.get_computer_desc system.get_computer_name system.get_reboot_required_witnessed system.get_system_date system.get_system_date_time system.get_system_time system.halt system.has_settable_hwclock system.init system.poweroff system.reboot system.set_computer_desc system.set_computer_name system.set_reboot_required_witnessed system.set_system_date system.set_system_date_time system.set_system_time system.shutdown temp.dir temp.file test.arg test.arg_clean test.arg_repr test.arg_type test.assertion test.attr_call test.collatz test.conf_test test.cross_test test.deprecation_warning test.echo test.exception test.false test.fib test.get_opts test.kwarg test.module_report test.not_loaded test.opts_pkg test.outputter test.ping test.provider test.providers test.raise_exception test.rand_sleep test.rand_str test.random_hash test.retcode test.sleep test.stack test.true test.try test.tty test.version test.versions test.versions_information test.versions_report timezone.get_hwclock timezone.get_offset timezone.get_zone timezone.get_zonecode timezone.set_hwclock timezone.set_zone timezone.zone_compare tls.ca_exists tls.cert_base_path tls.cert_info tls.create_ca tls.create_ca_signed_cert tls.create_csr tls.create_empty_crl tls.create_pkcs12 tls.create_self_signed_cert tls.get_ca tls.get_ca_signed_cert tls.get_ca_signed_key tls.get_expiration_date tls.get_extensions tls.maybe_fix_ssl_version tls.revoke_cert tls.set_ca_path tls.validate tuned.active tuned.list tuned.off tuned.profile user.add user.chfullname user.chgid user.chgroups user.chhome user.chhomephone user.chloginclass user.chother user.chroomnumber user.chshell user.chuid user.chworkphone user.delete user.get_loginclass user.getent user.info user.list_groups user.list_users user.primary_group user.rename vault.clear_token_cache vault.delete_secret vault.destroy_secret vault.list_secrets vault.query vault.read_secret vault.write_raw vault.write_secret virt.create_xml_path virt.create_xml_str virt.ctrl_alt_del virt.define_xml_path virt.define_xml_str virt.delete_snapshots virt.freecpu virt.freemem virt.full_info virt.get_disks virt.get_graphics virt.get_hypervisor virt.get_loader virt.get_macs virt.get_nics virt.get_xml virt.init virt.is_hyper virt.list_active_vms virt.list_domains virt.list_inactive_vms virt.list_networks virt.list_pools virt.list_snapshots virt.network_get_xml virt.network_info virt.network_set_autostart virt.network_start virt.network_stop virt.network_undefine virt.node_info virt.pause virt.pool_build virt.pool_delete virt.pool_get_xml virt.pool_info virt.pool_list_volumes virt.pool_refresh virt.pool_set_autostart virt.pool_start virt.pool_stop virt.pool_undefine virt.purge virt.reboot virt.reset virt.resume virt.revert_snapshot virt.set_autostart virt.setmem virt.setvcpus virt.shutdown virt.snapshot virt.start virt.stop virt.undefine virt.update virt.virt_type virt.vm_cputime virt.vm_info virt.vm_state virt.volume_delete virtualenv.create virtualenv.get_distribution_path virtualenv.get_resource_content virtualenv.get_resource_path virtualenv.get_site_packages virtualenv.virtualenv_ver webutil.useradd webutil.userdel webutil.verify x509.create_certificate x509.create_crl x509.create_csr x509.create_private_key x509.encode_certificate x509.encode_crl x509.encode_csr x509.encode_private_key x509.expired x509.expires x509.get_pem_entries x509.get_pem_entry x509.get_private_key_size x509.get_public_key x509.get_signing_policy x509.read_certificate x509.read_certificates x509.read_crl x509.read_csr x509.sign_remote_certificate x509.verify_crl x509.verify_private_key x509.verify_signature x509.will_expire x509.write_pem xml.get_attribute xml.get_value xml.set_attribute xml.set_value zfs.bookmark zfs.clone zfs.create zfs.destroy zfs.diff zfs.exists zfs.get zfs.hold zfs.holds zfs.inherit zfs.list zfs.list_mount zfs.mount zfs.promote zfs.release zfs.rename zfs.rollback zfs.set zfs.snapshot zfs.unmount zpool.add zpool.attach zpool.clear zpool.create zpool.create_file_vdev zpool.destroy zpool.detach zpool.exists zpool.export zpool.get zpool.healthy zpool.history zpool.import zpool.iostat zpool.labelclear zpool.list zpool.offline zpool.online zpool.reguid zpool.reopen zpool.replace zpool.scrub zpool.set zpool.split zpool.status zpool.upgrade; }
_brine_runners() { _brine_words "$1" auth.can auth.del_token auth.mk_token auth.token_create auth.token_list auth.token_revoke auth.who cache.clear_all cache.clear_git_lock cache.clear_grains cache.clear_mine cache.clear_mine_func cache.clear_pillar cache.fetch cache.flush cache.grains cache.list cache.mine cache.pillar cache.store cluster.accept cluster.doctor cluster.drain cluster.init cluster.join cluster.leave cluster.pending cluster.status config.get doc.execution doc.runner doc.wheel error.error event.send fileserver.clear_cache fileserver.clear_file_list_cache fileserver.clear_lock fileserver.dir_list fileserver.empty_dir_list fileserver.envs fileserver.file_list fileserver.lock fileserver.symlink_list fileserver.update git_pillar.update http.query http.update_ca_bundle jobs.active jobs.exit_success jobs.export_to_salt jobs.last_run jobs.list_job jobs.list_jobs jobs.list_jobs_filter jobs.lookup_jid jobs.master jobs.outcomes jobs.print_job manage.alived manage.allowed manage.doctor manage.down manage.joined manage.key_regen manage.list_not_state manage.list_state manage.not_alived manage.not_allowed manage.not_joined manage.not_present manage.not_reaped manage.present manage.reaped manage.safe_accept manage.status manage.up manage.versions mine.get mine.update nacl.dec nacl.dec_file nacl.enc nacl.enc_file nacl.keygen nacl.sealedbox_decrypt nacl.sealedbox_encrypt nacl.secretbox_decrypt nacl.secretbox_encrypt network.wol network.wollist network.wolmatch pillar.clear_pillar_cache pillar.show_pillar pillar.show_pillar_cache pillar.show_top queue.delete queue.insert queue.insert_runner queue.list_items queue.list_length queue.list_queues queue.pop queue.process_queue queue.process_runner reactor.add reactor.delete reactor.is_leader reactor.list reactor.set_leader returner.create_schema returner.list returner.status salt.cmd salt.execute saltutil.sync_all saltutil.sync_cache saltutil.sync_clouds saltutil.sync_eauth_tokens saltutil.sync_engines saltutil.sync_executors saltutil.sync_fileserver saltutil.sync_grains saltutil.sync_modules saltutil.sync_output saltutil.sync_pillar saltutil.sync_proxymodules saltutil.sync_queues saltutil.sync_renderers saltutil.sync_returners saltutil.sync_roster saltutil.sync_runners saltutil.sync_sdb saltutil.sync_serializers saltutil.sync_states saltutil.sync_thorium saltutil.sync_tops saltutil.sync_utils saltutil.sync_wheel sdb.delete sdb.get sdb.get_or_set_hash sdb.set state.event state.orch state.orch_high state.orch_show_sls state.orch_single state.orchestrate state.orchestrate_high state.orchestrate_show_sls state.orchestrate_single state.pause state.resume state.rm_pause state.set_pause state.sls state.soft_kill survey.diff survey.hash test.arg test.get_opts test.metasyntactic test.raw_arg test.sleep test.stdout_print test.stream vault.generate_new_token vault.generate_token vault.get_config vault.show_policies vault.unseal; }
_brine_salt() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --saltfile) _brine_files "$current" -f; return ;;
    -c | --config-dir) _brine_files "$current" -d; return ;;
    --module-executors) :; return ;;
    --executor-opts) :; return ;;
    -t | --timeout) :; return ;;
    --no-parse) :; return ;;
    --subset) :; return ;;
    -b | --batch | --batch-size) :; return ;;
    --batch-wait) :; return ;;
    --batch-safe-limit) :; return ;;
    --batch-safe-size) :; return ;;
    --return) :; return ;;
    --return_config) :; return ;;
    --return_kwargs) :; return ;;
    --args-separator) :; return ;;
    --metadata) :; return ;;
    --exit-codes) _brine_words "$current" strict salt; return ;;
    --canary) :; return ;;
    --abort-on) :; return ;;
    --gather-job-timeout) :; return ;;
    --watch) :; return ;;
    --delimiter) :; return ;;
    -a | --auth | --eauth | --external-auth) :; return ;;
    --username) :; return ;;
    --password) :; return ;;
    --out | --output) _brine_words "$current" dson highstate json key nested newline_values_only no_return overstatestage pony pprint profile progress quiet raw table text txt virt_query yaml; return ;;
    --out-indent | --output-indent) :; return ;;
    --out-file | --output-file) _brine_files "$current" -f; return ;;
    --state-output | --state_output) _brine_words "$current" full terse mixed changes filter; return ;;
    --state-verbose | --state_verbose) _brine_words "$current" True False; return ;;
    -l | --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) _brine_files "$current" -f; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help --saltfile -c --config-dir --module-executors --executor-opts -t --timeout --args-stdin --hard-crash --no-parse -s --static -p --progress --failhard --async --subset -v --verbose --hide-timeout --show-jid -b --batch --batch-size --batch-wait --batch-safe-limit --batch-safe-size --return --return_config --return_kwargs -d --doc --documentation --args-separator --summary --metadata --output-diff --config-dump --preview-target --exit-codes --canary --abort-on --gather-job-timeout --watch -E --pcre -L --list -G --grain -P --grain-pcre -N --nodegroup -C --compound -I --pillar -J --pillar-pcre -S --ipcidr --delimiter -a --auth --eauth --external-auth -T --make-token --username --password --out --output --out-indent --output-indent --out-file --output-file --out-file-append --output-file-append --no-color --no-colour --force-color --force-colour --state-output --state_output --state-verbose --state_verbose -l --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --saltfile | -c | --config-dir | --module-executors | --executor-opts | -t | --timeout | --no-parse | --subset | -b | --batch | --batch-size | --batch-wait | --batch-safe-limit | --batch-safe-size | --return | --return_config | --return_kwargs | --args-separator | --metadata | --exit-codes | --canary | --abort-on | --gather-job-timeout | --watch | --delimiter | -a | --auth | --eauth | --external-auth | --username | --password | --out | --output | --out-indent | --output-indent | --out-file | --output-file | --state-output | --state_output | --state-verbose | --state_verbose | -l | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    0) _brine_ids "$current" accepted ;;
    1) _brine_functions "$current" ;;
    *) : ;;
  esac
}
complete -F _brine_salt salt
_brine_salt_key() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --saltfile) _brine_files "$current" -f; return ;;
    -c | --config-dir) _brine_files "$current" -d; return ;;
    -u | --user) :; return ;;
    --rotate-aes-key) _brine_words "$current" True False; return ;;
    --preserve-minions) _brine_words "$current" True False; return ;;
    --exit-codes) _brine_words "$current" strict salt; return ;;
    --auth | --eauth | --external-auth) :; return ;;
    --username) :; return ;;
    --password) :; return ;;
    --out | --output) _brine_words "$current" dson highstate json key nested newline_values_only no_return overstatestage pony pprint profile progress quiet raw table text txt virt_query yaml; return ;;
    --out-indent | --output-indent) :; return ;;
    --out-file | --output-file) _brine_files "$current" -f; return ;;
    --state-output | --state_output) _brine_words "$current" full terse mixed changes filter; return ;;
    --state-verbose | --state_verbose) _brine_words "$current" True False; return ;;
    -l | --list) _brine_words "$current" accepted unaccepted rejected denied all; return ;;
    -a | --accept) _brine_ids "$current" pre; return ;;
    -r | --reject) _brine_ids "$current" pre; return ;;
    -p | --print) _brine_ids "$current" all; return ;;
    -d | --delete) _brine_ids "$current" all; return ;;
    -f | --finger) _brine_ids "$current" all; return ;;
    --gen-keys) :; return ;;
    --gen-keys-dir) _brine_files "$current" -d; return ;;
    --keysize) :; return ;;
    --priv) _brine_files "$current" -f; return ;;
    --signature-path) _brine_files "$current" -d; return ;;
    --pub) _brine_files "$current" -f; return ;;
    --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) _brine_files "$current" -f; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help --saltfile -c --config-dir -u --user --hard-crash -q --quiet -y --yes --rotate-aes-key --preserve-minions --exit-codes --auth --eauth --external-auth -T --make-token --username --password --out --output --out-indent --output-indent --out-file --output-file --out-file-append --output-file-append --no-color --no-colour --force-color --force-colour --state-output --state_output --state-verbose --state_verbose -l --list -L --list-all -a --accept -A --accept-all -r --reject -R --reject-all --include-all --include-accepted --include-rejected --include-denied -p --print -P --print-all -d --delete -D --delete-all -f --finger -F --finger-all --gen-keys --gen-keys-dir --keysize --gen-signature --priv --signature-path --pub --auto-create --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --saltfile | -c | --config-dir | -u | --user | --rotate-aes-key | --preserve-minions | --exit-codes | --auth | --eauth | --external-auth | --username | --password | --out | --output | --out-indent | --output-indent | --out-file | --output-file | --state-output | --state_output | --state-verbose | --state_verbose | -l | --list | -a | --accept | -r | --reject | -p | --print | -d | --delete | -f | --finger | --gen-keys | --gen-keys-dir | --keysize | --priv | --signature-path | --pub | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    *) : ;;
  esac
}
complete -F _brine_salt_key salt-key
_brine_salt_call() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --saltfile) _brine_files "$current" -f; return ;;
    -c | --config-dir) _brine_files "$current" -d; return ;;
    --proxyid) :; return ;;
    --module-executors) :; return ;;
    --executor-opts) :; return ;;
    --cachedir) _brine_files "$current" -d; return ;;
    --no-parse) :; return ;;
    -m | --module-dirs) _brine_files "$current" -d; return ;;
    --master) :; return ;;
    --return) :; return ;;
    --file-root) _brine_files "$current" -d; return ;;
    --pillar-root) _brine_files "$current" -d; return ;;
    --states-dir) _brine_files "$current" -d; return ;;
    --set-metadata) :; return ;;
    --id) :; return ;;
    -t | --timeout) :; return ;;
    --exit-codes) _brine_words "$current" strict salt; return ;;
    --out | --output) _brine_words "$current" dson highstate json key nested newline_values_only no_return overstatestage pony pprint profile progress quiet raw table text txt virt_query yaml; return ;;
    --out-indent | --output-indent) :; return ;;
    --out-file | --output-file) _brine_files "$current" -f; return ;;
    --state-output | --state_output) _brine_words "$current" full terse mixed changes filter; return ;;
    --state-verbose | --state_verbose) _brine_words "$current" True False; return ;;
    --profiling-path) _brine_files "$current" -d; return ;;
    -l | --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) _brine_files "$current" -f; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help --saltfile -c --config-dir --proxyid --module-executors --executor-opts --cachedir --args-stdin --hard-crash --no-parse -g --grains -m --module-dirs -d --doc --documentation --master --return --local --file-root --pillar-root --states-dir --retcode-passthrough --metadata --set-metadata --id --skip-grains --refresh-grains-cache --no-return-event -t --timeout --output-diff --exit-codes --out --output --out-indent --output-indent --out-file --output-file --out-file-append --output-file-append --no-color --no-colour --force-color --force-colour --state-output --state_output --state-verbose --state_verbose --profiling-path --enable-profiling -l --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --saltfile | -c | --config-dir | --proxyid | --module-executors | --executor-opts | --cachedir | --no-parse | -m | --module-dirs | --master | --return | --file-root | --pillar-root | --states-dir | --set-metadata | --id | -t | --timeout | --exit-codes | --out | --output | --out-indent | --output-indent | --out-file | --output-file | --state-output | --state_output | --state-verbose | --state_verbose | --profiling-path | -l | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    0) _brine_functions "$current" ;;
    *) : ;;
  esac
}
complete -F _brine_salt_call salt-call
_brine_salt_run() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --saltfile) _brine_files "$current" -f; return ;;
    -c | --config-dir) _brine_files "$current" -d; return ;;
    -t | --timeout) :; return ;;
    --jid) :; return ;;
    --no-parse) :; return ;;
    --exit-codes) _brine_words "$current" strict salt; return ;;
    -a | --auth | --eauth | --external-auth) :; return ;;
    --username) :; return ;;
    --password) :; return ;;
    --out | --output) _brine_words "$current" dson highstate json key nested newline_values_only no_return overstatestage pony pprint profile progress quiet raw table text txt virt_query yaml; return ;;
    --out-indent | --output-indent) :; return ;;
    --out-file | --output-file) _brine_files "$current" -f; return ;;
    --state-output | --state_output) _brine_words "$current" full terse mixed changes filter; return ;;
    --state-verbose | --state_verbose) _brine_words "$current" True False; return ;;
    --profiling-path) _brine_files "$current" -d; return ;;
    -l | --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) _brine_files "$current" -f; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help --saltfile -c --config-dir -t --timeout --args-stdin --jid --hard-crash --no-parse -d --doc --documentation --async --skip-grains --exit-codes -a --auth --eauth --external-auth -T --make-token --username --password --out --output --out-indent --output-indent --out-file --output-file --out-file-append --output-file-append --no-color --no-colour --force-color --force-colour --state-output --state_output --state-verbose --state_verbose --quiet --profiling-path --enable-profiling -l --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --saltfile | -c | --config-dir | -t | --timeout | --jid | --no-parse | --exit-codes | -a | --auth | --eauth | --external-auth | --username | --password | --out | --output | --out-indent | --output-indent | --out-file | --output-file | --state-output | --state_output | --state-verbose | --state_verbose | --profiling-path | -l | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    0) _brine_runners "$current" ;;
    *) : ;;
  esac
}
complete -F _brine_salt_run salt-run
_brine_salt_cp() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --saltfile) _brine_files "$current" -f; return ;;
    -c | --config-dir) _brine_files "$current" -d; return ;;
    -t | --timeout) :; return ;;
    --exit-codes) _brine_words "$current" strict salt; return ;;
    --delimiter) :; return ;;
    --auth | --eauth | --external-auth) :; return ;;
    --username) :; return ;;
    --password) :; return ;;
    --out | --output) _brine_words "$current" dson highstate json key nested newline_values_only no_return overstatestage pony pprint profile progress quiet raw table text txt virt_query yaml; return ;;
    --out-indent | --output-indent) :; return ;;
    --out-file | --output-file) _brine_files "$current" -f; return ;;
    --state-output | --state_output) _brine_words "$current" full terse mixed changes filter; return ;;
    --state-verbose | --state_verbose) _brine_words "$current" True False; return ;;
    -l | --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) _brine_files "$current" -f; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help --saltfile -c --config-dir -t --timeout --hard-crash --exit-codes -E --pcre -L --list -G --grain -P --grain-pcre -N --nodegroup --delimiter --auth --eauth --external-auth --make-token --username --password --out --output --out-indent --output-indent --out-file --output-file --out-file-append --output-file-append --no-color --no-colour --force-color --force-colour --state-output --state_output --state-verbose --state_verbose -C --chunked -n --no-compression -l --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --saltfile | -c | --config-dir | -t | --timeout | --exit-codes | --delimiter | --auth | --eauth | --external-auth | --username | --password | --out | --output | --out-indent | --output-indent | --out-file | --output-file | --state-output | --state_output | --state-verbose | --state_verbose | -l | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    0) _brine_ids "$current" accepted ;;
    *) _brine_files "$current" -f ;;
  esac
}
complete -F _brine_salt_cp salt-cp
_brine_salt_master() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --saltfile) _brine_files "$current" -f; return ;;
    -c | --config-dir) _brine_files "$current" -d; return ;;
    -u | --user) :; return ;;
    --pid-file) _brine_files "$current" -f; return ;;
    -l | --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) _brine_files "$current" -f; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help --saltfile -c --config-dir -u --user -d --daemon --pid-file -l --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --saltfile | -c | --config-dir | -u | --user | --pid-file | -l | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    *) : ;;
  esac
}
complete -F _brine_salt_master salt-master
_brine_salt_minion() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --saltfile) _brine_files "$current" -f; return ;;
    -c | --config-dir) _brine_files "$current" -d; return ;;
    -u | --user) :; return ;;
    --pid-file) _brine_files "$current" -f; return ;;
    -l | --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) _brine_files "$current" -f; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help --saltfile -c --config-dir -u --user -d --daemon --pid-file -l --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --saltfile | -c | --config-dir | -u | --user | --pid-file | -l | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    *) : ;;
  esac
}
complete -F _brine_salt_minion salt-minion
_brine_salt_syndic() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --saltfile) _brine_files "$current" -f; return ;;
    -c | --config-dir) _brine_files "$current" -d; return ;;
    -u | --user) :; return ;;
    --pid-file) _brine_files "$current" -f; return ;;
    -l | --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) _brine_files "$current" -f; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help --saltfile -c --config-dir -u --user -d --daemon --pid-file -l --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --saltfile | -c | --config-dir | -u | --user | --pid-file | -l | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    *) : ;;
  esac
}
complete -F _brine_salt_syndic salt-syndic
_brine_salt_api() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    -c | --config-dir) _brine_files "$current" -d; return ;;
    --pid-file) _brine_files "$current" -f; return ;;
    -l | --log-level) _brine_words "$current" all debug error critical garbage info profile quiet trace warning; return ;;
    --log-file) :; return ;;
    --log-file-level) _brine_words "$current" all garbage trace debug profile info warning error critical quiet; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -V --versions-report -h --help -c --config-dir -d --daemon --pid-file -l --log-level --log-file --log-file-level
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      -c | --config-dir | --pid-file | -l | --log-level | --log-file | --log-file-level) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    *) : ;;
  esac
}
complete -F _brine_salt_api salt-api
_brine_sls() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" i count=0
  COMPREPLY=()
  if [[ "$current" == = ]]; then current=''; elif [[ "$previous" == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$previous" in
    --format) _brine_words "$current" text json sarif; return ;;
    --ignore) :; return ;;
    --file-root) _brine_files "$current" -d; return ;;
    --pillar-root) _brine_files "$current" -d; return ;;
    --pillar) _brine_files "$current" -f; return ;;
    --grains) _brine_files "$current" -f; return ;;
    --os) :; return ;;
  esac
  if [[ "$current" == -* ]]; then
    _brine_words "$current" --version -h --help --format --strict --ignore --no-color --no-colour --force-color --force-colour --file-root --pillar-root --pillar --grains --os
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      --format | --ignore | --file-root | --pillar-root | --pillar | --grains | --os) [[ "${COMP_WORDS[i + 1]}" == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) ((count++)) ;;
    esac
  done
  case "$count" in
    0) _brine_words "$current" check schema ;;
    *) _brine_files "$current" -f ;;
  esac
}
complete -F _brine_sls sls brine-sls
