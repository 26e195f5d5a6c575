/** A package to install. */
export interface Installed {
  readonly type: string
  readonly owner: string
  readonly name: string
  readonly version: string
  /** The address of the site, without a slash at the end. */
  readonly root: string
  /** Name of the first file; empty without one. */
  readonly file: string
  /** What distinguishes the first file in its registry: a distribution, a branch, a group. The parts are separated by `|`. */
  readonly fileKey: string
}

/** Returns the commands that install a package; undefined for a type without any. */
export function installCommands({ type, owner, name, version, root, file, fileKey }: Installed): string | undefined {
  const registry = `${root}/api/packages/${owner}/${type}`
  const host = root.replace(/^https?:\/\//, '')
  const [scope] = name.split('/')
  const [groupName = '', within = ''] = fileKey.split('|')
  /** The address of a group of packages; the registry itself without one. */
  const grouped = groupName === '' ? registry : `${registry}/${groupName}`
  /** A channel is a part of the name of a Conda package. */
  const channel = name.includes('/') ? `/${name.slice(0, name.lastIndexOf('/'))}` : ''
  const group = groupName === '' ? '' : `.${groupName}`
  const commands: Readonly<Record<string, string>> = {
    npm: `${name.startsWith('@') ? `npm config set ${scope}:registry ${registry}/\n` : ''}npm install ${name}@${version}${name.startsWith('@') ? '' : ` --registry=${registry}/`}`,
    container: `docker pull ${host}/${owner.toLowerCase()}/${name}${version.startsWith('sha256:') ? '@' : ':'}${version}`,
    pypi: `pip install --index-url ${registry}/simple ${name}==${version}`,
    maven: `<repository><id>forge</id><url>${registry}</url></repository>\n<dependency>\n  <groupId>${name.split(':')[0] ?? ''}</groupId>\n  <artifactId>${name.split(':')[1] ?? ''}</artifactId>\n  <version>${version}</version>\n</dependency>`,
    cargo: `# ~/.cargo/config.toml\n[registries.forge]\nindex = "sparse+${registry}/"\n\ncargo add --registry forge ${name}@${version}`,
    go: `GONOSUMDB=${name} GOPROXY=${registry},direct go get ${name}@${version}`,
    nuget: `dotnet nuget add source --name forge ${registry}/index.json\ndotnet add package ${name} --version ${version} --source forge`,
    composer: `composer config repositories.forge composer ${registry}\ncomposer require ${name}:${version}`,
    helm: `helm repo add forge ${registry}\nhelm install ${name} forge/${name} --version ${version}`,
    pub: `dart pub add ${name}:${version} --hosted-url ${registry}`,
    swift: `swift package-registry set ${registry}\n.package(id: "${name}", exact: "${version}")`,
    conan: `conan remote add forge ${registry}\nconan install --requires=${name}/${version}${['', '_'].includes(groupName) ? '' : `@${groupName}/${within}`} -r forge`,
    conda: `conda install -c ${registry}${channel} ${name.slice(name.lastIndexOf('/') + 1)}=${version}`,
    vagrant: `vagrant box add ${registry}/${name} --box-version ${version}`,
    chef: `# Berksfile\nsource '${registry}'\ncookbook '${name}', '${version}'`,
    cran: `Rscript -e 'install.packages("${name}", repos = "${registry}")'`,
    debian: `curl ${registry}/repository.key -o /etc/apt/keyrings/${owner}.asc\necho 'deb [signed-by=/etc/apt/keyrings/${owner}.asc] ${registry} ${groupName} ${within}' > /etc/apt/sources.list.d/${owner}.list\napt update && apt install ${name}=${version}`,
    arch: `curl ${registry}/repository.key | pacman-key --add -\n# Sign the key: pacman-key --lsign-key KEYID\nprintf '[${owner}${group}]\\nServer = ${grouped}/$arch\\n' >> /etc/pacman.conf\npacman -Sy ${name}`,
    rpm: `curl ${grouped}.repo -o /etc/yum.repos.d/${owner}.repo\ndnf install ${name}-${version}`,
    alpine: `(cd /etc/apk/keys && curl -OJ ${registry}/key)\necho ${registry}/${groupName}/${within} >> /etc/apk/repositories\napk add ${name}=${version}`,
    alt: `echo 'rpm ${grouped}.repo noarch classic' >> /etc/apt/sources.list\napt-get update && apt-get install ${name}=${version}`,
    rubygems: `gem install --source ${registry}/ ${name} -v ${version}`,
    generic: `curl -u USER:TOKEN -O ${registry}/${[name, version, file].map(encodeURIComponent).join('/')}`,
  }
  return commands[type]
}
