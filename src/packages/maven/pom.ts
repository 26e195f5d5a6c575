import { BadRequest } from '../../lib/errors.ts'
import { childOf, childrenOf, parseXml, textOf } from '../formats/xml.ts'
import type { MavenMetadata } from './maven.rules.ts'

/** Parses a project description (POM). Throws `BadRequest`. */
export function readPom(text: string): MavenMetadata {
  const project = parseXml(text)
  if (project.name !== 'project') throw new BadRequest('the description is none of a project', 'maven_pom_invalid')
  return {
    name: textOf(project, 'name'),
    description: textOf(project, 'description'),
    url: textOf(project, 'url'),
    licenses: childrenOf(childOf(project, 'licenses'), 'license').map((license) => textOf(license, 'name')),
    dependencies: childrenOf(childOf(project, 'dependencies'), 'dependency').map((dependency) => ({
      groupId: textOf(dependency, 'groupId'),
      artifactId: textOf(dependency, 'artifactId'),
      version: textOf(dependency, 'version'),
    })),
  }
}
