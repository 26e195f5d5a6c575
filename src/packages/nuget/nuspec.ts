import { BadRequest } from '../../lib/errors.ts'
import { childOf, childrenOf, parseXml, textOf, type XmlElement } from '../formats/xml.ts'
import { checkNugetId, nugetVersion, type NugetDependencies, type NugetMetadata } from './nuget.rules.ts'

const packagesIn = (element: XmlElement | undefined): NugetDependencies['packages'] =>
  childrenOf(element, 'dependency').map(({ attributes }) => ({
    id: attributes['id'] ?? '',
    version: attributes['version'] ?? '',
  }))

/** Parses the description of a package. Throws `BadRequest`. */
export function readNuspec(text: string) {
  const about = childOf(parseXml(text), 'metadata')
  if (!about) throw new BadRequest('the description has no metadata of a package', 'nuspec_invalid')
  const dependencies = childOf(about, 'dependencies')
  const everywhere = packagesIn(dependencies)
  const groups = childrenOf(dependencies, 'group').map((group) => ({
    targetFramework: group.attributes['targetFramework'] ?? '',
    packages: packagesIn(group),
  }))
  const metadata: NugetMetadata = {
    description: textOf(about, 'description'),
    authors: textOf(about, 'authors'),
    title: textOf(about, 'title'),
    projectUrl: textOf(about, 'projectUrl'),
    releaseNotes: textOf(about, 'releaseNotes'),
    tags: textOf(about, 'tags'),
    requireLicenseAcceptance: textOf(about, 'requireLicenseAcceptance') === 'true',
    developmentDependency: textOf(about, 'developmentDependency') === 'true',
    dependencies: [...(everywhere.length > 0 ? [{ targetFramework: '', packages: everywhere }] : []), ...groups],
  }
  return { name: checkNugetId(textOf(about, 'id')), version: nugetVersion(textOf(about, 'version')), metadata }
}
