import { counted } from '../ui/texts.tsx'

/** The names of registries by their types. */
export const typeNames: Readonly<Record<string, string>> = {
  alpine: 'Alpine', alt: 'ALT', arch: 'Arch', cargo: 'Cargo', chef: 'Chef', composer: 'Composer', conan: 'Conan',
  conda: 'Conda', container: 'Container', cran: 'R', debian: 'Debian', generic: 'Any files', go: 'Go', helm: 'Helm',
  maven: 'Maven', npm: 'npm', nuget: 'NuGet', pub: 'Pub', pypi: 'PyPI', rpm: 'RPM', rubygems: 'RubyGems',
  swift: 'Swift', vagrant: 'Vagrant',
} // prettier-ignore

/** Texts of the pages of packages. */
export const texts = {
  title: 'Packages',
  titleOf: (owner: string) => `Packages of ${owner}`,
  search: 'Find a package',
  type: 'Type',
  allTypes: 'All types',
  typeName: (type: string) => typeNames[type] ?? type,
  find: 'Search',
  downloads: (count: number) => counted(count, 'download'),
  none: 'No packages yet',
  noneLead: 'Publish one with the tool of its language. Each account has a registry of every type.',
  noneInRepo: 'Link a package to this repository on the page of the package.',
  noMatch: 'No package matches',
  versions: 'Versions',
  install: 'Install',
  files: 'Files',
  size: 'Size',
  about: 'About',
  published: 'Published',
  by: 'by',
  repository: 'Repository',
  license: 'License',
  homepage: 'Website',
  dependencies: 'Dependencies',
  readme: 'README',
  settings: 'Settings',
  settingsOf: (name: string) => `Settings of ${name}`,
  back: 'Package',
  repositoryLead: 'A linked package appears among the packages of the repository.',
  linkedTo: 'Linked to',
  link: 'Link to the repository',
  repositoryName: 'Name of a repository of the owner',
  noRepository: 'the owner has no repository of this name',
  unlink: 'Unlink the repository',
  delete: 'Delete this version',
  deleteLead: (version: string) => `Version ${version} can no longer be installed.`,
  deleteQuestion: (name: string, version: string) =>
    `Delete version ${version} of ${name}? Nobody can install it afterwards.`,
  deletePackage: 'Delete the package',
  deletePackageLead: (count: number) =>
    count === 1 ? 'It has this version only.' : `It has ${counted(count, 'version')}, and all are deleted.`,
  deletePackageQuestion: (name: string, count: number) =>
    `Delete ${name} with ${counted(count, 'version')}? Nobody can install it afterwards.`,
  done: {
    linked: 'The package is linked.',
    unlinked: 'The package is no longer linked to a repository.',
    deleted: (version: string) => `Version ${version} is deleted.`,
    deletedPackage: (name: string) => `The package ${name} is deleted.`,
  },
}
