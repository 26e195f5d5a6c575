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
}

/** Returns the commands that install a package; undefined for a type without any. */
export function installCommands({ type, owner, name, version, root, file }: Installed): string | undefined {
  const registry = `${root}/api/packages/${owner}/${type}`
  const host = root.replace(/^https?:\/\//, '')
  const [scope] = name.split('/')
  const commands: Readonly<Record<string, string>> = {
    npm: `${name.startsWith('@') ? `npm config set ${scope}:registry ${registry}/\n` : ''}npm install ${name}@${version}${name.startsWith('@') ? '' : ` --registry=${registry}/`}`,
    container: `docker pull ${host}/${owner.toLowerCase()}/${name}${version.startsWith('sha256:') ? '@' : ':'}${version}`,
    pypi: `pip install --index-url ${registry}/simple ${name}==${version}`,
    maven: `<repository><id>forge</id><url>${registry}</url></repository>\n<dependency>\n  <groupId>${name.split(':')[0] ?? ''}</groupId>\n  <artifactId>${name.split(':')[1] ?? ''}</artifactId>\n  <version>${version}</version>\n</dependency>`,
    cargo: `# ~/.cargo/config.toml\n[registries.forge]\nindex = "sparse+${registry}/"\n\ncargo add --registry forge ${name}@${version}`,
    go: `GOPROXY=${registry},direct go get ${name}@${version}`,
    nuget: `dotnet nuget add source --name forge ${registry}/index.json\ndotnet add package ${name} --version ${version} --source forge`,
    composer: `composer config repositories.forge composer ${registry}\ncomposer require ${name}:${version}`,
    helm: `helm repo add forge ${registry}\nhelm install ${name} forge/${name} --version ${version}`,
    pub: `dart pub add ${name}:${version} --hosted-url ${registry}`,
    swift: `swift package-registry set ${registry}\n.package(id: "${name}", exact: "${version}")`,
    conan: `conan remote add forge ${registry}\nconan install --requires=${name}/${version} -r forge`,
    conda: `conda install -c ${registry} ${name}=${version}`,
    vagrant: `vagrant box add ${registry}/${name} --box-version ${version}`,
    chef: `# Berksfile\nsource '${registry}'\ncookbook '${name}', '${version}'`,
    cran: `Rscript -e 'install.packages("${name}", repos = "${registry}")'`,
    debian: `curl ${registry}/repository.key -o /etc/apt/keyrings/${owner}.asc\necho 'deb [signed-by=/etc/apt/keyrings/${owner}.asc] ${registry} DISTRIBUTION COMPONENT' > /etc/apt/sources.list.d/${owner}.list\napt update && apt install ${name}=${version}`,
    arch: `curl ${registry}/repository.key | pacman-key --add -\nprintf '[${owner}]\\nServer = ${registry}/$arch\\n' >> /etc/pacman.conf\npacman -Sy ${name}`,
    rpm: `curl ${registry}.repo -o /etc/yum.repos.d/${owner}.repo\ndnf install ${name}-${version}`,
    alpine: `(cd /etc/apk/keys && curl -OJ ${registry}/key)\necho ${registry}/BRANCH/REPOSITORY >> /etc/apk/repositories\napk add ${name}=${version}`,
    alt: `echo 'rpm ${registry}/GROUP.repo noarch classic' >> /etc/apt/sources.list\napt-get update && apt-get install ${name}=${version}`,
    rubygems: `gem install --source ${registry}/ ${name} -v ${version}`,
    generic: `curl -u USER:TOKEN -O ${registry}/${[name, version, file].map(encodeURIComponent).join('/')}`,
  }
  return commands[type]
}
