/** Where the site's days begin, for figures by day and for times in letters. Brasília time, whoever looks from wherever. */
export const SITE_TIME_ZONE = 'America/Sao_Paulo'
