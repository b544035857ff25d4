"""
Has a real Salt's x509_v2 make certificates, requests and lists, and records them for the unit tests:
`PYTHONPATH=<a Salt 3006> python3 test/compare/x509/record.py` writes test/fixtures/x509/vectors.json with keys of its own.
"""
import json, sys, os, base64
import warnings; warnings.simplefilter('ignore')
import salt.modules.x509_v2 as m
import salt.utils.x509
from salt.utils.odict import OrderedDict
m.__opts__={'features':{'x509_v2':True},'fips_mode':False,'test':False}
policies={'www':[{'signing_private_key':None},{'signing_cert':None},{'O':'Policy'},{'basicConstraints':'critical, CA:false'},{'days_valid':90}],
 'subj':{'subject':{'O':'Forced','C':'US'}},'list':{'subject':['O=Forced']}, 'none':{'keyUsage':None,'CN':'fixed'}}
m.__salt__={'pillar.get':lambda k,d=None: policies,'config.get':lambda k,d=None:d,'file.file_exists':os.path.isfile}
m.__context__={}
keys = {}
if True:
    for name,kw in {'rsa':{},'rsa2':{'keysize':3072},'ec':{'algo':'ec'},'ec521':{'algo':'ec','keysize':521},'ed25519':{'algo':'ed25519'},'ed448':{'algo':'ed448'},'locked':{'passphrase':'secret'}}.items():
        keys[name]=m.create_private_key(**kw)
T={'not_before':'2024-01-02 03:04:05','not_after':'2034-01-02 03:04:05','serial_number':'7F:00:11'}
vectors=[]
def plain(x):
    if isinstance(x,bytes): return {'bytes':base64.b64encode(x).decode()}
    if isinstance(x,dict): return OrderedDict((str(k),plain(v)) for k,v in x.items())
    if isinstance(x,(list,tuple)): return [plain(v) for v in x]
    return x
def call(fun,note=None,**kw):
    import copy
    given=copy.deepcopy(kw)
    try: r=getattr(m,fun)(**kw); out={'returns':plain(r)}
    except Exception as e: r=None; out={'error':str(e),'type':type(e).__name__}
    vectors.append({'fun':fun,'kwargs':plain(given),**out})
    return r
ca=call('create_certificate',signing_private_key=keys['rsa'],CN='Test CA',O='Acme',C='US',ST='Utah',L='Salt Lake City',basicConstraints='critical, CA:true, pathlen:1',keyUsage='critical, cRLSign, keyCertSign',subjectKeyIdentifier='hash',authorityKeyIdentifier='keyid:always',subjectAltName='dns:ca.example.com',**T)
plainca=call('create_certificate',signing_private_key=keys['ed25519'],CN='Plain',**T)
edca=call('create_certificate',signing_private_key=keys['ed448'],subject='CN=Ed,O=Acme\\, Inc.,C=DE',subjectKeyIdentifier='hash',**T)
base=dict(signing_private_key=keys['rsa'],signing_cert=ca,public_key=m.get_public_key(keys['ec']),**T)
exts=[
 {'basicConstraints':{'ca':True,'pathlen':0,'critical':True}},{'basicConstraints':'CA:FALSE'},{'basicConstraints':{'ca':False}},
 {'keyUsage':['digitalSignature','keyAgreement','decipherOnly','critical']},{'keyUsage':'digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment'},{'keyUsage':'encipherOnly'},
 {'extendedKeyUsage':'critical, serverAuth, clientAuth'},{'extendedKeyUsage':['codeSigning','1.3.6.1.4.1.99','emailProtection','ipsecIKE']},{'extendedKeyUsage':'nonsense'},
 {'subjectKeyIdentifier':'AB:CD:EF'},{'subjectKeyIdentifier':'critical, hash'},{'subjectKeyIdentifier':'xyz'},
 {'authorityKeyIdentifier':'keyid,issuer:always'},{'authorityKeyIdentifier':'issuer:always'},{'authorityKeyIdentifier':{'keyid':'always'}},
 {'issuerAltName':'issuer:copy'},{'issuerAltName':['dns:x.example.com','critical']},
 {'authorityInfoAccess':'OCSP;URI:http://ocsp.example.com/,caIssuers;URI:http://ca.example.com/ca.html'},{'authorityInfoAccess':[{'OCSP':'URI:http://ocsp.example.com'}]},{'authorityInfoAccess':'what;URI:http://x'},
 {'subjectAltName':'DNS:www.example.com, IP:10.0.0.1,email:me@example.com, URI:https://example.com/a?b=c'},
 {'subjectAltName':['dns:*.example.com',{'ip':'2001:db8::1'},'rid:1.2.3.4','dirName:CN=foo,O=bar','critical']},{'subjectAltName':{'dns':'bücher.example'}},{'subjectAltName':'dns:'},{'subjectAltName':'dns:a_b.c'},{'subjectAltName':'what:x'},{'subjectAltName':['email:.x']},{'subjectAltName':'ip:300.1.1.1'},{'subjectAltName':'othername:x'},
 {'crlDistributionPoints':'URI:http://example.com/my.crl, URI:http://b/my.crl'},{'crlDistributionPoints':[{'fullname':'URI:http://e/c','crlissuer':['dirName:CN=x'],'reasons':['keyCompromise','cACompromise','aACompromise']},'critical']},{'crlDistributionPoints':[{'relativename':'CN=foo'}]},{'crlDistributionPoints':[{'fullname':'URI:http://e/c','reasons':['bad']}]},
 {'certificatePolicies':'critical, 1.2.4.5, 1.1.3.4'},{'certificatePolicies':{'1.3.4.5':['https://my.ca.com/practice_statement'],'1.2.3.4':['https://x',{'organization':'myorg','noticeNumbers':[10,11],'text':'mytext'}],'critical':True}},{'certificatePolicies':'abc'},
 {'policyConstraints':'critical, requireExplicitPolicy:3, inhibitPolicyMapping:2'},{'policyConstraints':{'requireExplicitPolicy':3}},
 {'inhibitAnyPolicy':2},{'inhibitAnyPolicy':'critical, 3'},{'inhibitAnyPolicy':{'value':4,'critical':True}},{'inhibitAnyPolicy':{}},
 {'nameConstraints':'critical,permitted;IP:192.168.0.0/255.255.0.0,permitted;email:.example.com,excluded;email:.com'},{'nameConstraints':{'permitted':['ip:192.168.0.0/16','dns:example.com'],'excluded':['dns:evil.com','ip:2001:db8::/32'],'critical':True}},{'nameConstraints':{}},
 {'noCheck':True},{'noCheck':'critical'},{'tlsfeature':'status_request, status_request_v2'},{'tlsfeature':['status_request','critical']},
 {'nsComment':'x'},{'nsCertType':'x'},
 {'X509v3 Basic Constraints':'CA:FALSE'},{'commonName':'old name'},{'Email':'me@example.com'},
]
certs=[ca,plainca,edca]
for e in exts:
    kw=dict(base); kw.update(e)
    if 'commonName' not in e: kw['CN']='leaf'
    r=call('create_certificate',**kw)
    if r: certs.append(r)
for s in ['CN=a,O=b','C=US,CN=x+OU=y',['C=US','O=b','CN=c'],{'CN':'z','C':'DE','MAIL':'a@b','SERIALNUMBER':'12','UID':'u','STREET':'s','SN':'n','GN':'g','OU':'o'},'CN=\\#x\\, y\\20','nonsense','2.5.4.3=byoid','DC=com,DC=example']:
    r=call('create_certificate',subject=s,**base)
    if r: certs.append(r)
for kw in [{'C':'USA'},{'CN':''}]:
    call('create_certificate',**{**base,**kw})
for d in ['sha1','sha384','sha512','md5']:
    r=call('create_certificate',CN='d',digest=d,**base)
    if r: certs.append(r)
call('create_certificate',CN='d',algorithm='sha512',text=True,version=3,serial_bits=64,**base)
call('create_certificate',CN='x')
call('create_certificate',CN='x',signing_private_key=keys['rsa2'],signing_cert=ca)
call('create_certificate',CN='x',signing_private_key=keys['rsa'],signing_cert=ca)
call('create_certificate',CN='x',signing_private_key=keys['rsa'],encoding='what')
call('create_certificate',CN='x',signing_private_key=keys['rsa'],encoding='pkcs12')
call('create_certificate',CN='x',signing_private_key=keys['rsa'],encoding='der',append_certs=[ca])
call('create_certificate',CN='x',signing_private_key=keys['locked'],**T)
call('create_certificate',CN='x',signing_private_key=keys['locked'],signing_private_key_passphrase='wrong',**T)
call('create_certificate',CN='x',signing_private_key=keys['locked'],signing_private_key_passphrase='secret',**T)
call('create_certificate',CN='x',signing_private_key=keys['rsa'],signing_private_key_passphrase='secret',**T)
call('create_certificate',CN='x',signing_private_key=keys['rsa'],not_before='bad')
call('create_certificate',CN='x',encoding='der',signing_private_key=keys['rsa'],**T)
p7=call('create_certificate',encoding='pkcs7_pem',append_certs=[ca],CN='x',**base)
call('create_certificate',encoding='pkcs7_der',append_certs=[ca],CN='x',**base)
call('create_certificate',append_certs=[ca],CN='x',**base)
call('create_certificate',signing_policy='www',CN='x',O='Mine',basicConstraints='CA:true',**base)
call('create_certificate',signing_policy='subj',subject={'CN':'asked','O':'Mine'},**base)
call('create_certificate',signing_policy='list',subject=['CN=asked'],**base)
call('create_certificate',signing_policy='none',subject='CN=asked',keyUsage='cRLSign',**base)
p12=m.create_certificate(signing_private_key=keys['rsa'],signing_cert=ca,private_key=keys['ec'],CN='p12',encoding='pkcs12',pkcs12_passphrase='secret',pkcs12_friendlyname='me',append_certs=[ca],**T)
p12c=m.create_certificate(signing_private_key=keys['rsa'],signing_cert=ca,private_key=keys['ec'],CN='p12',encoding='pkcs12',pkcs12_passphrase='secret',pkcs12_encryption_compat=True,**T)
p12n=m.create_certificate(signing_private_key=keys['rsa'],signing_cert=ca,private_key=keys['ec'],CN='p12',encoding='pkcs12',**T)
for p in (p12,p12c): call('encode_private_key',private_key=p,private_key_passphrase='secret')
call('encode_private_key',private_key=p12,private_key_passphrase='wrong')
call('encode_private_key',private_key=p12n)
call('read_certificate',certificate=p12n)
call('get_public_key',key=p12,passphrase='secret')
csrs=[]
for kw in [{'CN':'req'},{'CN':'req','subjectAltName':['dns:a.example.com'],'keyUsage':'critical, digitalSignature','subjectKeyIdentifier':'hash','basicConstraints':'CA:FALSE'},{'subject':'CN=q,O=w','extendedKeyUsage':'serverAuth'}]:
    for k in ('rsa','ed25519'):
        r=call('create_csr',private_key=keys[k],**kw); csrs.append(r)
call('create_csr',private_key=keys['rsa'],CN='x',encoding='der')
for c in csrs:
    call('read_csr',csr=c); call('encode_csr',csr=c,encoding='der')
    call('create_certificate',**{**{k:v for k,v in base.items() if k!='public_key'},'csr':c,'CN':'fromcsr'})
    call('create_certificate',**{**{k:v for k,v in base.items() if k!='public_key'},'csr':c,'CN':'fromcsr','keyUsage':'cRLSign','subjectAltName':None})
for c in certs:
    call('read_certificate',certificate=c)
call('read_certificate',certificate=p7); call('read_certificate',certificate='nonsense'); call('read_certificate',certificate='-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'); call('read_certificate',certificate=None); call('read_certificate',certificate='deadbeef')
for k in keys: call('get_public_key',key=keys[k]); call('get_private_key_size',private_key=keys[k])
call('get_public_key',key=ca); call('get_public_key',key='nope'); call('get_public_key',key=csrs[0])
call('verify_signature',certificate=certs[5],signing_pub_key=ca); call('verify_signature',certificate=certs[5]); call('verify_signature',certificate=ca); call('verify_signature',certificate=edca); call('verify_signature',certificate=plainca,signing_pub_key=ca)
call('verify_private_key',private_key=keys['rsa'],public_key=ca); call('verify_private_key',private_key=keys['ec'],public_key=ca); call('verify_private_key',private_key=keys['rsa2'],public_key=ca)
call('expired',certificate=ca); call('expires',certificate=ca,days=36500); call('will_expire',certificate=ca,days=1)
call('encode_certificate',certificate=ca,encoding='der'); call('encode_certificate',certificate=ca,encoding='pkcs7_pem'); call('encode_certificate',certificate=ca,private_key=keys['rsa'])
call('get_pem_entry',text=ca.replace('\n','')); call('get_pem_entry',text=ca,pem_type='X509 CRL'); call('get_pem_entry',text=ca.replace('\n','\\n')); call('get_pem_entry',text='  '+ca+'\n'+plainca)
call('get_signing_policy',signing_policy='www'); call('get_signing_policy',signing_policy='nope')
from datetime import datetime
R={'revocation_date':'2024-05-06 07:08:09','not_after':'2050-01-01 00:00:00'}
crls=[]
import unittest.mock as mock
for kw in [{'revoked':[{'serial_number':'0A:0B',**R}]},{'revoked':[{'certificate':certs[4],'revocation_date':R['revocation_date'],'extensions':{'CRLReason':'keyCompromise','invalidityDate':'2024-01-01 00:00:00','certificateIssuer':'dirName:CN=x'}}],'extensions':{'cRLNumber':5,'authorityKeyIdentifier':'keyid:always','issuingDistributionPoint':{'fullname':'URI:http://x/y','onlyuser':True,'critical':True},'deltaCRLIndicator':'critical, 3','freshestCRL':'URI:http://x/f','issuerAltName':'dns:i.example.com'}},{'revoked':[{'one':[{'serial_number':'0C'},{'revocation_date':R['revocation_date']},{'reason':'superseded'}]}]},{'revoked':[{'serial_number':'0D','not_after':'2020-01-01 00:00:00',**{'revocation_date':R['revocation_date']}}]},{'revoked':[]},{'revoked':[{}]},{'revoked':[{'serial_number':'0A','extensions':{'CRLReason':'bad'}}]},{'revoked':[],'extensions':{'cRLNumber':'x'}},{'revoked':[],'extensions':{'issuingDistributionPoint':{'onlyuser':True,'onlyCA':True}}},{'revoked':[],'encoding':'x'},{'revoked':[],'what':1},{'revoked':[],'days_valid':7,'digest':'sha512'}]:
    r=call('create_crl',signing_private_key=keys['rsa'],signing_cert=ca,**kw)
    if r: crls.append(r)
call('create_crl',signing_private_key=keys['ec'],signing_cert=ca,revoked=[])
for c in crls:
    call('read_crl',crl=c); call('verify_crl',crl=c,cert=ca); call('verify_crl',crl=c,cert=plainca); call('encode_crl',crl=c,encoding='der')
for kw in [{'algo':'rsa','keysize':1024},{'algo':'dsa'},{'algo':'ec','keysize':111},{'encoding':'x'},{'what':1}]: call('create_private_key',**kw)
call('encode_private_key',private_key=keys['ec'],encoding='der'); call('encode_private_key',private_key=keys['locked']); call('encode_private_key',private_key=keys['locked'],private_key_passphrase='secret')
call('encode_private_key',private_key='zz'); call('encode_private_key',private_key='-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----')
call('sign_remote_certificate',signing_policy='nope',kwargs={}); call('sign_remote_certificate',signing_policy=None,kwargs={})
texts = {}


def fold(x):
    """Long texts stand once, as @n."""
    if isinstance(x, str) and len(x) > 200:
        return texts.setdefault(x, "@%d" % len(texts))
    if isinstance(x, dict):
        return {k: fold(v) for k, v in x.items()}
    return [fold(v) for v in x] if isinstance(x, list) else x


folded = [json.dumps(fold(v)) for v in vectors]
with open("test/fixtures/x509/vectors.json", "w") as out:
    out.write('{\n "from": "3006.16 salt/modules/x509_v2.py",\n "policies": %s,\n "texts": [\n' % json.dumps(plain(policies)))
    out.write(",\n".join("  " + json.dumps(t) for t in texts) + '\n ],\n "vectors": [\n  ')
    out.write(",\n  ".join(folded) + "\n ]\n}\n")
print(len(vectors), "vectors")
