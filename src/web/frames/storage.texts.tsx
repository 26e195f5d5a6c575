/** Texts of the pages of storage. */
export const texts = {
  title: 'Storage',
  total: (size: string) => `Your account stores ${size}.`,
  totalOf: (org: string, size: string) => `${org} stores ${size}.`,
  publicRepos: 'Public repositories',
  privateRepos: 'Private repositories',
  lfs: 'Git LFS',
  issueFiles: 'Files of issues',
  releaseFiles: 'Files of releases',
  artifacts: 'Artifacts of workflows',
  packages: 'Packages',
  limits: 'Limits',
  noLimits: 'No limits are set here. Those of the site may still count.',
  unlimited: 'no limit',
}
