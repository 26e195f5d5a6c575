/** The names of registries by their types. */
export const typeNames: Readonly<Record<string, string>> = {
  alpine: 'Alpine', alt: 'ALT', arch: 'Arch', cargo: 'Cargo', chef: 'Chef', composer: 'Composer', conan: 'Conan',
  conda: 'Conda', container: 'Container', cran: 'R', debian: 'Debian', generic: 'Any files', go: 'Go', helm: 'Helm',
  maven: 'Maven', npm: 'npm', nuget: 'NuGet', pub: 'Pub', pypi: 'PyPI', rpm: 'RPM', rubygems: 'RubyGems',
  swift: 'Swift', vagrant: 'Vagrant',
} // prettier-ignore
