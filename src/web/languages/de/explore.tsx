/** Texts of the explore pages. */
export const exploreTexts = {
  title: 'Entdecken',
  repositories: 'Repositorys',
  code: 'Code',
  users: 'Personen',
  organizations: 'Organisationen',
  tabs: 'Entdecken',
  description: (name: string) => `Repositorys, Personen und Organisationen von ${name}`,
  findPerson: 'Person finden',
  findOrganization: 'Organisation finden',
  search: 'Suchen',
  sort: 'Sortieren',
  peopleSorts: [
    ['alphabetically', 'A bis Z'],
    ['newest', 'Neueste'],
  ] as const,
  noRepositories: 'Noch keine Repositorys',
  noRepositoriesHint: 'Hier erscheinen öffentliche Repositorys.',
  noRepositoriesGuest:
    'Hier erscheinen öffentliche Repositorys. Melden Sie sich an, um die zu sehen, zu denen Sie Zugang haben.',
  newRepository: 'Neues Repository',
  noPeople: 'Niemand passt',
  noPeopleHint: 'Suchen Sie nach Name, vollem Namen oder Adresse.',
  noOrganizations: 'Keine Organisation passt',
  noOrganizationsHint: 'Einer Organisation gehören Repositorys gemeinsam; Teams geben Zugang.',
  newOrganization: 'Neue Organisation',
}
