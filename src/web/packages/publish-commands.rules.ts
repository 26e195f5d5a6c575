/** Where a package is published. */
export interface Publishing {
  readonly type: string
  readonly owner: string
  /** The address of the site, without a slash at the end. */
  readonly root: string
}

/**
 * Returns the commands that publish a package; undefined for an unknown type. Capital letters stand for what the reader
 * fills in: an account, an access token, and the names of the package.
 */
export function publishCommands({ type, owner, root }: Publishing): string | undefined {
  const registry = `${root}/api/packages/${owner}/${type}`
  const address = root.replace(/^https?:/, '')
  const host = address.slice(2)
  const upload = (file: string, path: string, more = '') => `curl -u USER:TOKEN -T ${file} ${more}${registry}${path}`
  const commands: Readonly<Record<string, string>> = {
    npm: `npm config set @${owner.toLowerCase()}:registry ${registry}/\nnpm config set -- '${address}/api/packages/${owner}/npm/:_authToken' TOKEN\nnpm publish`,
    container: `docker login ${host}\ndocker push ${host}/${owner.toLowerCase()}/IMAGE:TAG`,
    pypi: `twine upload --repository-url ${registry} -u USER -p TOKEN dist/*`,
    maven: `mvn deploy -DaltDeploymentRepository=forge::${registry}`,
    cargo: `# ~/.cargo/config.toml\n[registries.forge]\nindex = "sparse+${registry}/"\n\ncargo login --registry forge "Bearer TOKEN"\ncargo publish --registry forge`,
    go: upload('module.zip', '/upload'),
    nuget: `dotnet nuget add source --name forge --username USER --password TOKEN ${registry}/index.json\ndotnet nuget push --source forge --api-key TOKEN NAME.nupkg`,
    composer: upload('package.zip', '?version=1.0.0'),
    helm: upload('chart.tgz', '/api/charts', '-X POST '),
    pub: `dart pub token add ${registry}\n# pubspec.yaml: publish_to: ${registry}\ndart pub publish`,
    swift: `swift package-registry set ${registry}\nswift package-registry login ${registry} --token TOKEN\nswift package-registry publish SCOPE.NAME 1.0.0`,
    conan: `conan remote add forge ${registry}\nconan remote login forge USER -p TOKEN\nconan upload NAME/1.0 -r forge --confirm`,
    conda: upload('NAME-1.0-0.conda', '/NAME-1.0-0.conda'),
    vagrant: upload('package.box', '/NAME/1.0.0/virtualbox.box'),
    chef: `curl -u USER:TOKEN -F tarball=@cookbook.tgz ${registry}/api/v1/cookbooks`,
    cran: upload('NAME_1.0.tar.gz', '/src'),
    debian: upload('NAME_1.0_amd64.deb', '/pool/bookworm/main/upload'),
    arch: upload('NAME-1.0-1-any.pkg.tar.zst', ''),
    rpm: upload('NAME-1.0-1.x86_64.rpm', '/upload'),
    alpine: upload('NAME-1.0-r0.apk', '/v3.20/main'),
    alt: upload('NAME-1.0-alt1.noarch.rpm', '/GROUP/upload'),
    rubygems: `echo '${registry}: Bearer TOKEN' >> ~/.gem/credentials\nchmod 600 ~/.gem/credentials\ngem push --host ${registry} NAME-1.0.gem`,
    generic: upload('FILE', '/NAME/VERSION/FILE'),
  }
  return commands[type]
}
