import { escapeXml } from '../../lib/escape-xml.ts'
import { isSnapshot, type MavenPath } from './maven.rules.ts'

const element = (name: string, content: string): string => `<${name}>${content}</${name}>`
const textElement = (name: string, text: string): string => element(name, escapeXml(text))

/**
 * Returns the list of an artifact's versions (`maven-metadata.xml`).
 * @param versions in the order of publication
 */
export function versionList({ groupId, artifactId }: MavenPath, versions: readonly string[]): string {
  const release = versions.findLast((version) => !isSnapshot(version))
  const versioning = [
    release === undefined ? '' : textElement('release', release),
    textElement('latest', versions.at(-1) ?? ''),
    element('versions', versions.map((version) => textElement('version', version)).join('')),
  ]
  const content = [
    textElement('groupId', groupId),
    textElement('artifactId', artifactId),
    element('versioning', versioning.join('')),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('metadata', content.join(''))}`
}
