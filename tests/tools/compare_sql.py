"""Compares the SQL of ireescope with that of DuckDB.

    compare_sql.py IREESCOPE [--all]

Both run the same queries over small tables that the queries define. Their rows must be the same: in any order unless the
query has an ORDER BY, numbers with a tolerance, NULL apart from '' and NaN. ireescope writes Parquet, because JSON has no
NaN and CSV no NULL. Either may refuse a query, but ireescope must not answer differently from DuckDB, except for the
differences in EXPECTED. --all also prints what ireescope refuses.
"""

import collections
import itertools
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import duckdb

from answers import same

# Patterns of the queries whose answers differ, and why. Each must be needed.
EXPECTED = [
    (r"a DESC, id|ALL DESC|list_sort\(\[a", "NULLs come first in descending order, as in PostgreSQL, and in list_sort"),
    (r"CAST\((2\.7|b) AS (INT|BIGINT)\)", "a cast to an integer truncates"),
    (r"FROM \(SELECT id FROM t ORDER BY id DESC\) AS x", "ORDER BY in a subquery does not order the rows around it"),
    (r"1 >> 64", "shifts by 64 or more bits wrap around"),
    (r"0\.1 \+ 0\.2", "decimal literals are DOUBLE"),
    (r"DECIMAL\(10, 2\)\) / 3", "a quotient of DECIMAL is a DECIMAL"),
    (r"LIKE '[^']*\\", r"\ escapes in LIKE, as in PostgreSQL"),
    (r"substr\(s, -2\)|split_part\(s, '',|to_hex\(|string_to_array\('',", "as in PostgreSQL"),
    (r"CAST\((d|b \* 1e9) AS VARCHAR\)", "times are written with a T, exponents without + and 0"),
    (r"-a AS a, id FROM t ORDER BY a \+ 0", "ORDER BY sees the names of SELECT before those of the table"),
    (r"PIVOT t ON (g, )?[ab] (USING (count|median)|/)|ON a USING sum\(x\)", "PIVOT orders columns by their values, not by their texts"),
    (r"PIVOT .* FILTER", "DuckDB ignores FILTER in PIVOT"),
    (r"(corr|regr_slope)\(.* GROUP BY g", "NULL, not NaN, where all values are equal, as in PostgreSQL"),
]

TABLES = """WITH t AS (
  SELECT CAST(id AS BIGINT) AS id, g, CAST(a AS BIGINT) AS a, CAST(b AS DOUBLE) AS b, s, CAST(d AS TIMESTAMP) AS d
  FROM (VALUES (1, 'x', 7, 1.5, 'abc', '2024-02-29 13:14:15.5'), (2, 'x', -7, -2.5, 'Äpfel', '2023-12-31 23:59:59'),
    (3, 'y', 0, 0.0, '', '2024-01-01 00:00:00'), (4, 'y', NULL, NULL, NULL, NULL), (5, NULL, 3, 1e10, ' a b ', '1969-07-20 20:17:40'),
    (6, 'x', 7, 0.25, '12', '2024-02-29 00:00:00'), (7, 'z', NULL, 3.5, 'a_b%c', NULL), (8, NULL, -1, -0.125, 'ABC', '2000-03-01 12:00:00')
  ) AS v(id, g, a, b, s, d)),
u AS (
  SELECT CAST(k AS BIGINT) AS k, CAST(a AS BIGINT) AS a, n
  FROM (VALUES (1, 7, 'one'), (2, 7, 'two'), (3, NULL, 'three'), (4, 0, NULL), (5, 42, 'x'), (NULL, -7, 'y')) AS v(k, a, n)),
w AS (SELECT CAST(id AS BIGINT) AS id, m FROM (VALUES (1, 'p'), (3, 'q'), (9, 'r')) AS v(id, m))
"""


def items(text):
    """Splits a list at its semicolons."""
    return [" ".join(item.split()) for item in text.split(" ;")]


OPERANDS = items("""a {1} 2 ; a {1} -3 ; a {1} id ; id {1} a ; -7 {1} id ; 7 {1} nullif(a, 0) ; a {1} NULL ; b {1} 2 ; a {1} b ; b {1} b ; a {1} 0 ;
    id {1} 3 {1} 2 ; id {1} (3 {1} 2) ; (a + 1) {1} (id - 9) ; CAST(a AS INT) {1} CAST(id AS SMALLINT) ; 9223372036854775807 {1} id ; CAST(b AS REAL) {1} 2 ;
    CAST(id AS DECIMAL(10, 2)) {1} 3 ; 2.5 {1} id""")
SCALARS = items(r"""-a ; - -a ; a + b * 2 - id / 4 ; a * 10 // 4 * 2 ; a % 4 // 2 * 3 ; -a % 3 ; 100 - a // 2 % 3 + 1 ; a & 3 = 3 ; a >> 1 + 1 ; id << 2 ;
    a | 3 & 1 ; 1 >> 64 ; abs(a) ; ceil(b) ; floor(b) ; round(b, 1) ; round(a, -1) ; round(2.5e0 * id) ; sqrt(abs(b)) ; ln(0) ; log(2, id) ; power(a, 2) ;
    power(2, a) ; b % 2 ; gcd(a, id) ; a / 0 ; b / 0 ; a / 0 > 5 ; isnan(a / 0) ; greatest(a, id) ; coalesce(a, id) ; coalesce(NULL, a, 1 / 0) ;
    coalesce(a, b) ; nullif(a, 7) ; CASE WHEN a > 0 THEN 'pos' WHEN a < 0 THEN 'neg' END ; CASE a WHEN 7 THEN 1 WHEN NULL THEN 2 ELSE 3 END ;
    CASE WHEN a = 0 THEN NULL ELSE id % a END ; s || NULL ; s || a ; s || 'b' > 'b' ; concat(s, 'x', NULL) ; concat_ws('-', s, g, 'z') ; length(s) ; upper(s) ;
    trim(s) ; ltrim(s, 'aA') ; substr(s, 2, 2) ; substr(s, 0, 2) ; substr(s, -2) ; left(s, 2) ; right(s, -1) ; lpad(s, 6, '*') ; repeat(s, 2) ;
    replace(s, 'a', 'zz') ; replace(s, '', 'z') ; translate(s, 'abc', 'xy') ; strpos(s, '') ; contains(s, 'b') ; split_part(s, 'b', -1) ; split_part(s, '', 1) ;
    overlay(s PLACING 'Z' FROM 2 FOR 1) ; to_hex(id * 100) ; regexp_replace(s, '[a-c]', 'X', 'g') ; regexp_replace(s, '(a)(.)', '\2\1') ;
    regexp_replace(s, 'b', '$1') ; string_to_array('', ',') ; CAST(b AS VARCHAR) ; CAST(b * 1e9 AS VARCHAR) ; CAST(a > 0 AS INT) ; CAST(a AS BOOLEAN) ;
    CAST(id * 100 AS TINYINT) ; CAST(s AS INT) ; TRY_CAST(s AS INT) ; CAST(' 12 ' AS INT) ; CAST('t' AS BOOLEAN) ; CAST(2.7 AS INT) ; CAST(b AS BIGINT) ;
    CAST('2.55' AS DECIMAL(10, 2)) * 2 ; CAST(d AS VARCHAR) ; '5' > 10 ; 0.1 + 0.2 = 0.3 ; -7 // 2 ; 7 % -3 ; 9223372036854775808 - 1 ;
    9007199254740993 > 9007199254740992.0e0 ; 9223372036854775807 + id ; CAST(2147483647 AS INT) + CAST(id AS INT) ; (-9223372036854775807 - 1) // -1 ;
    18446744073709551616 ; 1_000 ; 2 ^ 3 ; 'C:\x' LIKE 'C:\x' ; 'a' < 'B' ; date_trunc('week', d) ; date_trunc('quarter', CAST(d AS DATE)) ;
    date_part('dow', d) ; date_part('second', d) ; EXTRACT(isodow FROM d) ; EXTRACT(year FROM d) / 2 ; d - INTERVAL '1 month' ; d + INTERVAL '-1.5 hours' ;
    CAST(d AS DATE) - DATE '2024-01-01' ; d BETWEEN DATE '2023-01-01' AND DATE '2024-01-01' ; d - TIMESTAMP '2024-01-01 00:00:00' > INTERVAL '1 day' ;
    EXTRACT(epoch FROM d - TIMESTAMP '2024-01-01 00:00:00') ; INTERVAL '24 hours' = INTERVAL '1 day' ; strftime(d, '%Y/%m/%d %H:%M') ; strftime(d, '%S.%f') ;
    [a, id][-1] ; [1, 2, 3][2:3] ; list_contains([1, 2, 3], id) ; list_sort([a, id]) ; array_to_string([1, NULL, 2], ',') ; generate_series(1, 5, 2) ;
    map(['p', 'q'], [a, id])['q'] ; (a, id) = (7, 1) ; (a, id) IN ((7, 1), (0, 3)) ; (a, id) < (7, 3) ; a = ANY ([7, NULL]) ; a NOT IN (id, NULL) ;
    -b IN (0, 1.5e0) ; NOT a = 7 IS TRUE ; a BETWEEN 0 + 1 AND 7 = true ; row_number() OVER (ORDER BY id) // 2 ; row_number() OVER (ORDER BY a DESC, id)""")
PREDICATES = items(r"""a < b ; a > 0 AND NOT b > 1 ; NOT (a > 0 OR b IS NULL) ; a IS NULL OR s = '' ; a = NULL ; a IS DISTINCT FROM 7 ;
    a IS NOT DISTINCT FROM NULL ; (a > 0) IS NOT DISTINCT FROM (b > 0) AND id > 3 ; a BETWEEN 0 AND 7 ; a NOT BETWEEN 0 AND 5 ; a BETWEEN NULL AND 5 ;
    a NOT IN (7, 0) ; a IN (7, NULL) ; a NOT IN (7, NULL) ; id IN (2, 7) AND id NOT IN (NULL, 3) ; a NOT IN (1, 2) OR a NOT IN (3, 4) ; s LIKE 'a%' ;
    s LIKE '%b%' ; s LIKE '_b_' ; s LIKE 'a\_b%' ; s LIKE '%' ; s ILIKE 'ABC' ; s ILIKE 'ä%' ; s LIKE g || '%' ; s LIKE 'a|_b%' ESCAPE '|' ; s ~ '^a.c$' ;
    s ~ '.*' ; s !~ 'b' ; s IN ('abc', 'ABC', NULL) ; a > 0 IS TRUE ; (a > 0) IS NOT TRUE ; (a > 0) IS UNKNOWN ; (a > 0) = (b > 0) ; a % 2 = 1 ; a / 2 = 3.5 ;
    id = 3.5 ; b = -0.0 ; b * -1 >= 0 ; a / 0 > 1 ; CASE WHEN a > 0 THEN true END ; coalesce(a > 0, false) ; NULL ; d > TIMESTAMP '2024-01-01 00:00:00' ;
    CAST(d AS DATE) = DATE '2024-02-29' ; EXTRACT(year FROM d) = 2024 ; a = 7 AND (b = 1.5 OR s = '12') AND id < 10 ; id = 1 OR id = 2 AND a < 0 ;
    g = 'x' AND id IN (1, 2) AND NOT s = 'abc' ; (a < 3 AND a > 5) IS NULL ; a = ANY ([7, 0]) ; a <> ALL ([7, NULL])""")
MEMBERSHIPS = items("""a IN (SELECT a FROM u) ; a NOT IN (SELECT a FROM u) ; id NOT IN (SELECT k FROM u WHERE k IS NOT NULL) ;
    a NOT IN (SELECT a FROM u WHERE a IS NOT NULL) ; a NOT IN (SELECT a FROM u WHERE false) ; 1 NOT IN (SELECT a FROM u) ;
    NULL IN (SELECT a FROM u WHERE false) ; (a, id) IN (SELECT a, k FROM u) ; a IN (SELECT a FROM u WHERE u.k < t.id) ;
    a IN (SELECT a FROM u ORDER BY k LIMIT 1) ; a NOT IN (SELECT u.a FROM u WHERE u.k > t.id) ; id NOT IN (SELECT k FROM u WHERE u.a = t.a) ;
    0 IN (SELECT count(*) FROM u WHERE u.a = t.a) ; 2 IN (SELECT count(*) OVER () FROM u WHERE u.a = t.a) ; a IN (SELECT a FROM u) OR id = 3 ;
    a NOT IN (SELECT a FROM u WHERE a IS NOT NULL) OR id = 3 ; (a IN (SELECT a FROM u)) IS NULL ; (a IN (SELECT a FROM u)) = (b > 0) ;
    (a IN (SELECT a FROM u)) IS DISTINCT FROM false ; coalesce(a IN (SELECT a FROM u), true) ; CAST(a IN (SELECT a FROM u) AS INT) = 0 ;
    CASE WHEN a IN (SELECT a FROM u) THEN false ELSE true END ; EXISTS (SELECT 1 FROM u WHERE u.a = t.a) ;
    EXISTS (SELECT 1 FROM u WHERE u.a > t.a AND u.k < t.id) ; EXISTS (SELECT 1 FROM u LIMIT 0) ; EXISTS (SELECT 1 FROM u WHERE u.a = t.a OFFSET 1) ;
    EXISTS (SELECT max(k) FROM u WHERE u.a = t.a) ; EXISTS (SELECT count(*) FROM u WHERE u.a = t.a HAVING count(*) = 0) ;
    EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM w WHERE w.id = u.k) AND u.a = t.a) ; (SELECT count(*) FROM u WHERE u.a = t.a) = 0 ;
    (SELECT sum(k) FROM u WHERE u.a = t.a) IS NULL ; (SELECT max(k) FROM u) > id ; a = (SELECT max(a) FROM t AS y WHERE y.g = t.g) ;
    1 < (SELECT count(*) FROM t AS y WHERE y.a = t.a) ; a > ANY (SELECT a FROM u) ; a <> ALL (SELECT a FROM u) ; (a > ANY (SELECT a FROM u)) IS NULL ;
    a < ALL (SELECT a FROM u WHERE false)""")
SUBQUERIES = items("""max(k) FROM u WHERE u.a = t.a ; count(*) FROM u WHERE u.a = t.a ; count(*) + count(k) FROM u WHERE u.a = t.a ;
    sum(k) FROM u WHERE u.a = t.a AND u.k > 1 ; coalesce(sum(k), 0) FROM u WHERE u.a = t.a ; sum(k) FROM u WHERE u.a = t.a HAVING sum(k) IS NULL ;
    max(k) FROM u WHERE u.a = t.a GROUP BY u.a ; max(k) FROM u WHERE u.a > t.a ; k FROM u WHERE u.a = t.a ORDER BY k LIMIT 1 ; k FROM u WHERE u.a = t.a ;
    k FROM u WHERE false ; count(DISTINCT k) FROM u WHERE u.a = t.a ; count(*) FROM u JOIN w ON w.id = u.k WHERE u.a = t.a ;
    array_agg(k ORDER BY k) FROM u WHERE u.a = t.a ; CASE WHEN count(*) > 0 THEN 'some' ELSE 'none' END FROM u WHERE u.a = t.a""")
AGGREGATES = items("""count(*) ; count(a) ; count(DISTINCT a) ; count(DISTINCT (a, g)) ; count(DISTINCT a / 0) ; sum(a) ; sum(a) / count(*) ;
    sum(a) // count(*) ; sum(a / 2) ; sum(CAST(a AS TINYINT)) ; sum(CAST(a AS DECIMAL(10, 2))) ; avg(a) ; avg(DISTINCT a) ; min(a) ; min(s) ;
    max(CAST(d AS DATE)) ; max(a / 0) ; min(1 / b) ; median(a) ; quantile_cont(b, 0.25) ; quantile_cont(id, 0.9) ;
    percentile_cont(0.75) WITHIN GROUP (ORDER BY b) ; stddev(b) ; var_samp(b) ; corr(a, b) ; covar_pop(a, b) ; regr_slope(a, id) ; bool_and(a > 0) ;
    bit_xor(a) ; string_agg(s, ',' ORDER BY id DESC) ; string_agg(DISTINCT g, ',' ORDER BY g) ; string_agg(s, '') ; array_agg(a ORDER BY a NULLS LAST, id) ;
    array_agg(a ORDER BY a DESC, id) ; array_agg(DISTINCT a ORDER BY a NULLS LAST) ; any_value(g) ; max_by(s, a) ; max_by(id + 1, -id) ; max_by(id, b / 0) ;
    arg_min(id, b) FILTER (WHERE id > 1) ; count(*) FILTER (WHERE a > 0) ; sum(a) FILTER (WHERE g = 'x') ; count(DISTINCT a) FILTER (WHERE id > 2) ;
    count(*) * 100 / 8 ; sum(9223372036854775807)""")
GROUPINGS = items("""ROLLUP (g, a) ; CUBE (g, a) ; GROUPING SETS ((g), (a), ()) ; g, ROLLUP (a) ; ROLLUP (g), ROLLUP (a) ; GROUPING SETS ((g, a), (g, a)) ;
    ALL ; g, a WITH ROLLUP""")
# Functions whose results depend on the order of equal rows, and windows without such rows; then the others.
CALLS = items("""row_number() ; rank() ; dense_rank() ; percent_rank() ; cume_dist() ; ntile(3) ; lag(a) ; lag(a, 2, -1) ; lead(a) ; lag(a, -1) ;
    lag(a IGNORE NULLS) ; lead(a, 2 IGNORE NULLS) ; first_value(a) ; last_value(a) ; first_value(a IGNORE NULLS) ; nth_value(a, 2) ; array_agg(a) ;
    string_agg(g, '') ; a - lag(a) ; max_by(s, a) ; abs(a)""")
SPANS = items("""id ; a NULLS LAST, id ; a DESC NULLS LAST, id ; id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING""")
TOTALS = items("""sum(a) ; count(*) ; min(a) ; max(s) ; avg(b) ; var_pop(b) ; count(a) FILTER (WHERE a > 0) ; a / sum(id) ; count(DISTINCT a) ; median(a)""")
FRAMES = items("""id ; a NULLS LAST ; g NULLS FIRST ; id ROWS 1 PRECEDING ; id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING ;
    id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING ; a NULLS LAST RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING ;
    a DESC NULLS LAST RANGE BETWEEN 2 PRECEDING AND CURRENT ROW ; a NULLS LAST GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW ;
    d NULLS LAST RANGE BETWEEN INTERVAL '1 year' PRECEDING AND CURRENT ROW""")
JOINS = items("""t JOIN u ON t.a = u.a ; t LEFT JOIN u ON t.a = u.a ; t RIGHT JOIN u ON t.a = u.a ; t FULL JOIN u ON t.a = u.a ; t CROSS JOIN u ;
    t LEFT JOIN u ON t.a = u.a AND t.id > u.k ; t FULL JOIN u ON t.a = u.a AND t.id < 3 ; t JOIN u ON t.a IS NOT DISTINCT FROM u.a ;
    t LEFT JOIN u ON t.a = u.a WHERE u.k IS NULL ; t FULL JOIN u ON t.a = u.a WHERE t.g = 'x' OR u.n = 'one' ;
    t RIGHT JOIN (SELECT * FROM u WHERE k > 1) AS u ON t.id = u.k WHERE u.a <> coalesce(t.a, 0) ; t JOIN u ON t.a // 2 = u.a // 2 ;
    t JOIN u ON t.a / 2 = u.a / 2 ; t LEFT JOIN u ON t.id = u.k LEFT JOIN w ON w.id = u.k ;
    t FULL JOIN u ON t.id = u.k FULL JOIN w ON w.id = coalesce(t.id, u.k) ; t LEFT JOIN u USING (a) ; t RIGHT JOIN u USING (a) ; t NATURAL LEFT JOIN u ;
    t JOIN u ; t POSITIONAL JOIN u ; t JOIN LATERAL (SELECT max(k) AS k, NULL AS n FROM u WHERE u.a = t.a) AS u ON true ;
    t LEFT JOIN LATERAL (SELECT u.k, u.n FROM u WHERE u.a = t.a) AS u ON true ;
    t JOIN LATERAL (SELECT row_number() OVER (ORDER BY k) AS k, 'n' AS n FROM u WHERE u.a = t.a) AS u ON true ; t JOIN u ON t.a = u.a OR t.id = u.k ;
    t LEFT JOIN u ON t.a BETWEEN u.k AND u.a ; t JOIN u ON t.id IN (SELECT id FROM w) AND t.id = u.k""")
SETS = items("""SELECT a FROM t {1} SELECT a FROM u ; SELECT a, g FROM t {1} SELECT a, n FROM u ; SELECT a FROM t {1} SELECT b FROM t ;
    SELECT a FROM t {1} (SELECT a FROM u {1} SELECT k FROM u) ; SELECT id FROM t {1} SELECT k FROM u INTERSECT SELECT a FROM u ;
    SELECT count(*) FROM (SELECT a FROM t {1} SELECT a FROM u) AS x ; SELECT a FROM t {1} SELECT a FROM u ORDER BY a NULLS LAST LIMIT 2 OFFSET 1 ;
    SELECT 1 {1} SELECT 1.5 ; SELECT id FROM t {1} VALUES (1), (2), (NULL) ; SELECT a / 0 FROM t {1} SELECT CAST('nan' AS DOUBLE)""")
ORDERS = items("""id DESC ; a DESC, id ; a ASC NULLS FIRST, id ; a DESC NULLS LAST, id ; b DESC NULLS LAST ; s DESC NULLS FIRST ; 3, 1 ; abs(a) NULLS LAST, id ;
    CASE WHEN a > 0 THEN 0 ELSE 1 END, id ; a / 0 NULLS LAST, id ; -1 ; 'a' ; ALL ; ALL DESC""")
WHOLE = items("""SELECT DISTINCT a > 0 AS p, g FROM t ; SELECT DISTINCT ON (g) g, id FROM t ORDER BY g NULLS LAST, id DESC ;
    SELECT DISTINCT x FROM (SELECT 0 / 0 AS x UNION ALL SELECT CAST('nan' AS DOUBLE)) AS y ; SELECT * ILIKE 'a%' FROM t ; FROM t ; SELECT FROM t ;
    SELECT * FROM w LEFT JOIN t USING (id) ; SELECT id // 2 AS x FROM w JOIN t USING (id) ; SELECT a FROM t JOIN u USING (a) WHERE a > 0 ;
    SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY g ORDER BY id DESC) = 1 ;
    SELECT g, sum(a) AS r FROM t GROUP BY g QUALIFY rank() OVER (ORDER BY sum(a) NULLS LAST) = 1 ;
    SELECT id, sum(a) OVER w AS r, count(*) OVER w AS n FROM t WINDOW w AS (PARTITION BY g ORDER BY id) ;
    SELECT id, sum(a) OVER w2 AS r FROM t WINDOW w1 AS (PARTITION BY g), w2 AS (w1 ORDER BY id) ;
    SELECT g, sum(a) / sum(sum(a)) OVER () AS share FROM t GROUP BY g ; SELECT g FROM t GROUP BY g HAVING sum(a) > (SELECT min(a) FROM u) ;
    SELECT n FROM (SELECT count(*) AS n FROM t) AS x WHERE (SELECT max(k) FROM u) < 1 ;
    SELECT n FROM (SELECT g, count(*) AS n FROM t GROUP BY ROLLUP (g)) AS x WHERE (SELECT max(k) FROM u) < 1 ;
    SELECT g, count(*) AS n FROM t GROUP BY g HAVING n > 1 ; SELECT a / 2 AS p, a // 2 AS q, count(*) AS n FROM t GROUP BY a / 2, a // 2 ;
    SELECT -a AS a, id FROM t ORDER BY a + 0 NULLS LAST, id ; SELECT * FROM (WITH x AS (SELECT 1 AS a), y AS (SELECT a + 1 AS a FROM x) SELECT * FROM y) AS z ;
    SELECT * FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n) AS z ;
    SELECT * FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i % 3 + 1 FROM n) SELECT * FROM n) AS z ;
    SELECT * FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9 LIMIT 3) SELECT * FROM n) AS z ;
    SELECT id, EXISTS (SELECT 1 FROM u WHERE u.a = t.a) AS r FROM t ; SELECT * FROM (SELECT id FROM t ORDER BY id DESC) AS x LIMIT 3 ;
    SELECT * FROM (SELECT id FROM t ORDER BY id LIMIT 5 OFFSET 2) AS x ORDER BY id DESC LIMIT 2 OFFSET 1 ;
    SELECT id, r FROM (SELECT id, g, row_number() OVER (ORDER BY id) AS r FROM t) AS x WHERE g = 'y' ;
    SELECT x.id, y.id AS j FROM t AS x RIGHT JOIN (SELECT * FROM t WHERE b > 0) AS y ON x.a = y.a WHERE y.id <> coalesce(x.id, 0) ;
    SELECT x.id, y.id AS j FROM t AS x JOIN t AS y ON x.g = y.g ORDER BY y.id DESC, x.id DESC LIMIT 3 ; SELECT t.id FROM t ANTI JOIN u USING (a) ;
    SELECT id, unnest([a, id]) AS x FROM t ; SELECT v // 3 AS p, v / 4 AS q, v % 5 AS r FROM range(-7, 7) AS x(v) ;
    SELECT v % 7 AS g, sum(v), avg(v), median(v), stddev(v) FROM range(20000) AS x(v) GROUP BY 1 ;
    SELECT quantile_cont(v * 1000003, 0.999) FROM range(1000) AS x(v) ;
    SELECT count(*) FROM range(3000) AS x(v) WHERE v NOT IN (SELECT z * 2 FROM range(1000) AS y(z)) ;
    SELECT v FROM range(10000) AS x(v) ORDER BY v % 100 DESC, v LIMIT 5 OFFSET 98 ; VALUES (1, 'a'), (2, NULL) ;
    SELECT id FROM t ORDER BY id OFFSET 1 ROW FETCH NEXT 2 ROWS ONLY ; SELECT count(*) FROM t TABLESAMPLE 50% ;
    SELECT * FROM (SELECT g, a FROM t) PIVOT (sum(a) FOR g IN ('x', 'y')) ; SELECT a FROM t UNION BY NAME SELECT k, a FROM u ;
    SELECT g, count(*) AS n, GROUPING(g) AS l FROM t GROUP BY ROLLUP (g) ORDER BY 3, 1 NULLS LAST ;
    SELECT coalesce(g, 'all') AS g, sum(a) AS r FROM t GROUP BY ROLLUP (g) HAVING sum(a) > 5 ; SELECT count(*), count(*) FROM t ;
    SELECT g, max_by(id, a) + 1 AS r FROM t GROUP BY g ORDER BY g NULLS LAST ; SELECT count(DISTINCT *) FROM t""")
FORMS = items("""FROM t WHERE a > 0 ; FROM t SELECT id, a WHERE a > 0 ; FROM t SELECT g, sum(a) GROUP BY g ; SELECT id FROM t WHERE a IN (FROM u SELECT a) ;
    SELECT (FROM u SELECT max(k)) AS r ; FROM t WHERE a > 0 UNION ALL FROM t WHERE a < 0 ; FROM t JOIN u ON t.a = u.a WHERE u.k > 1 ;
    FROM t QUALIFY row_number() OVER (PARTITION BY g ORDER BY id) = 1 ; FROM t GROUP BY g ; PIVOT t ON g USING sum(a) GROUP BY a ; PIVOT t ON g USING sum(a) ;
    PIVOT t ON g ; PIVOT t ON g GROUP BY a ; PIVOT t ON g USING sum(a) AS x, max(b) AS y GROUP BY s ; PIVOT t ON g, a USING count(*) GROUP BY s ;
    PIVOT t ON g IN ('x', 'q') USING avg(b) GROUP BY a ; PIVOT t ON g || a USING sum(id) GROUP BY g ; PIVOT t ON a > 0 USING min(s) GROUP BY g ;
    PIVOT t ON g USING sum(b) FILTER (WHERE id > 1) GROUP BY a ; PIVOT t ON b / 2 USING count(*) GROUP BY g ; PIVOT (SELECT g, a FROM t) ON g USING max_by(a, a) ;
    PIVOT t ON a USING median(b) GROUP BY g ; PIVOT t ON d USING sum(a + id) GROUP BY g ; PIVOT t ON g USING sum(id) GROUP BY a ORDER BY a NULLS LAST LIMIT 2 ;
    SELECT x, y FROM (PIVOT t ON g USING sum(id) GROUP BY a) WHERE x > 1 ; PIVOT t ON g USING mode(id) GROUP BY a ; PIVOT t ON g USING count(DISTINCT a) GROUP BY s ;
    FROM t PIVOT (sum(id) FOR g IN ('x', 'y') GROUP BY a) ; SELECT * FROM t PIVOT (sum(id) AS n, count(*) AS m FOR g IN ('x' AS p, 'y')) ;
    PIVOT (PIVOT t ON g USING sum(id) GROUP BY a) ON a USING sum(x) ; UNPIVOT t ON id, a ; UNPIVOT t ON g, s INTO NAME n VALUE v ; UNPIVOT t ON a + 1 AS p, id ;
    UNPIVOT t ON COLUMNS(* EXCLUDE (g, s, b, d)) ; FROM t UNPIVOT INCLUDE NULLS (v FOR n IN (g AS p, s)) ; UNPIVOT (SELECT id, a FROM t) ON a ;
    SELECT n, count(*) FROM (UNPIVOT t ON id, a INTO NAME n VALUE v) GROUP BY n ; SELECT column_name, min, max, count FROM (SUMMARIZE SELECT id, g, a, s FROM t) ;
    SELECT column_name, CAST(avg AS DOUBLE), CAST(std AS DOUBLE), approx_unique, CAST(null_percentage AS DOUBLE) FROM (SUMMARIZE SELECT id, a, b, s FROM t)""")
PARTITIONS = ["", "PARTITION BY g "]
# Templates, and what {0}, {1} and {2} stand for.
QUERIES = [
    ("SELECT id, {0} AS r FROM t", OPERANDS, ["+", "-", "*", "/", "//", "%"]),
    ("SELECT id, {0} AS r FROM t", SCALARS),
    ("SELECT id FROM t WHERE {1}({0})", PREDICATES + MEMBERSHIPS, ["", "NOT "]),
    ("SELECT {1} FROM t", PREDICATES, ["id, {0} AS r", "count(*) FILTER (WHERE {0}) AS r"]),
    ("SELECT id, k FROM t LEFT JOIN (SELECT k FROM u) AS u ON id = k AND ({0})", PREDICATES),
    ("SELECT id, (SELECT {0}) AS r FROM t", SUBQUERIES),
    ("SELECT {1}", AGGREGATES, ["{0} AS r FROM t", "{0} AS r FROM t WHERE a IS NULL", "{0} AS r FROM t WHERE false", "g, {0} AS r FROM t GROUP BY g"]),
    ("SELECT g, a, {1} AS r FROM t GROUP BY {0}", GROUPINGS, ["count(*)", "sum(id)", "count(DISTINCT s)", "GROUPING(g)", "max(a)"]),
    ("SELECT id, {0} OVER ({2}ORDER BY {1}) AS r FROM t", CALLS, SPANS, PARTITIONS),
    ("SELECT id, {0} OVER ({2}ORDER BY {1}) AS r FROM t", TOTALS, FRAMES, PARTITIONS),
    ("SELECT {1} FROM {0}", JOINS, ["t.id, t.a, u.k, u.n", "count(*) AS n, sum(u.k) AS r, max(u.n) AS s"]),
    ("{0}", SETS, ["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"]),
    ("SELECT id, g, a FROM t ORDER BY {0}{1}", ORDERS, ["", " LIMIT 3", " LIMIT 3 OFFSET 2"]),
    ("{0}", WHOLE),
    ("{0}", FORMS),
]


def queries():
    """Returns the queries, without the definition of their tables."""
    for template, *lists in QUERIES:
        for choice in itertools.product(*lists):
            query = template
            # Twice, because a choice may contain the placeholder of another one.
            for nth, text in [*enumerate(choice), *enumerate(choice)]:
                query = query.replace(f"{{{nth}}}", text)
            yield query


def is_ordered(query):
    """Whether the query has an ORDER BY outside of parentheses."""
    text, before = re.sub(r"'[^']*'", "", query), None
    while text != before:
        text, before = re.sub(r"\([^()]*\)", "", text), text
    return "ORDER BY" in text


binary, *options = sys.argv[1:]
folder = tempfile.TemporaryDirectory()
local = threading.local()


def ask_duckdb(query):
    """Returns rows, or an error's text."""
    if not hasattr(local, "connection"):
        local.connection = duckdb.connect(config={"threads": 1})
    try:
        return local.connection.execute(query).fetchall()
    except duckdb.Error as error:
        return str(error)


def ask_ireescope(query):
    """Returns rows, or an error's text."""
    path = f"{folder.name}/{threading.get_ident()}.parquet"
    ran = subprocess.run([binary, "sql", "-c", query, "-o", path], capture_output=True, text=True, timeout=60)
    if ran.returncode == 2:
        return ran.stderr
    rows = ask_duckdb(f"FROM '{path}'") if ran.returncode == 0 else ran.stderr
    if isinstance(rows, str):
        raise RuntimeError(f"no answer to {query}: exit status {ran.returncode}, {rows}")
    return rows


def compare(query):
    """Returns the outcome, and both answers."""
    ours, theirs = ask_ireescope(TABLES + query), ask_duckdb(TABLES + query)
    if isinstance(ours, str):
        return "refused by both" if isinstance(theirs, str) else "refused by ireescope", ours, theirs
    if isinstance(theirs, str):
        return "refused by DuckDB", ours, theirs
    return "same" if same(ours, theirs, is_ordered(query)) else "different", ours, theirs


counts, needed = collections.Counter(), set()
with ThreadPoolExecutor(2) as pool:
    asked = list(dict.fromkeys(queries()))
    for query, (outcome, ours, theirs) in zip(asked, pool.map(compare, asked)):
        reasons = {reason for pattern, reason in EXPECTED if re.search(pattern, query)}
        if outcome == "different" and reasons:
            needed |= reasons
            outcome = "expected"
        counts[outcome] += 1
        if outcome in ("different", "refused by DuckDB") or ("--all" in options and outcome.startswith("refused by")):
            print(f"{outcome}: {query}\n  ireescope: {str(ours).strip()}\n  DuckDB:    {str(theirs).strip()}")

unneeded = [reason for _, reason in EXPECTED if reason not in needed]
for reason in unneeded:
    print(f"no answer differs because {reason}")
if counts["same"] < 500:
    print("fewer than 500 queries have the same answer")
print(f"{counts['different']} answers differ, and {counts['expected']} as expected")
print(", ".join(f"{counts[outcome]} {outcome}" for outcome in ["same", "refused by ireescope", "refused by DuckDB", "refused by both"]))
sys.exit(1 if counts["different"] or unneeded or counts["same"] < 500 else 0)
