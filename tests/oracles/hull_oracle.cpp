// hull_oracle.cpp - compares hulls with those of Bullet's btConvexHullComputer.
//
//     hull_oracle POINTS HULLS
//
// POINTS is what make_hulls.py writes. HULLS has, for each of them, the name, the number of positions and of indices of the compiled
// mesh, and these. Checked: positions are points of the file, at most 64; a hull of so many corners is the whole one: it has
// as many corners as Bullet's, but for two, and reaches as far in 2,000 directions, also as far as the points themselves, because Bullet
// rounds to a 10,000th of the extent; a larger one reaches nearly as far; triangles are closed, turn counterclockwise seen
// from outside, and no point is outside of a whole hull.
//
// One line per hull; exit 1 when something is wrong.
#include <LinearMath/btConvexHullComputer.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

struct Vec {
    double x, y, z;
};

static Vec    operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Vec    cross(Vec a, Vec b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double reach(const std::vector<Vec>& points, Vec direction) {
    double max = -1e300;
    for (const Vec& p : points) max = std::max(max, dot(p, direction));
    return max;
}

static std::vector<Vec> read_points(std::ifstream& file, int count) {
    std::vector<Vec> out(count);
    for (Vec& p : out) file >> p.x >> p.y >> p.z;
    return out;
}

static std::vector<Vec> corners_of_bullet(const std::vector<Vec>& points) {
    std::vector<double> numbers;
    for (const Vec& p : points) numbers.insert(numbers.end(), {p.x, p.y, p.z});
    btConvexHullComputer hull;
    hull.compute(numbers.data(), sizeof(double) * 3, int(points.size()), 0, 0);
    std::vector<Vec> out;
    for (int i = 0; i < hull.vertices.size(); i++)
        out.push_back({hull.vertices[i].x(), hull.vertices[i].y(), hull.vertices[i].z()});
    return out;
}

// Each edge belongs to two triangles, which pass it in opposite directions.
static bool is_closed(const std::vector<unsigned>& indices) {
    std::map<std::array<unsigned, 2>, int> edges;
    for (size_t i = 0; i < indices.size(); i += 3)
        for (int k = 0; k < 3; k++) {
            const unsigned a = indices[i + k], b = indices[i + (k + 1) % 3];
            edges[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
        }
    return std::all_of(edges.begin(), edges.end(), [](const auto& e) { return e.second == 0; });
}

// The largest distance of a point outside of a triangle's plane; a triangle without an area counts nothing.
static double outside(const std::vector<Vec>& hull, const std::vector<unsigned>& indices,
                      const std::vector<Vec>& points) {
    double max = 0;
    for (size_t i = 0; i < indices.size(); i += 3) {
        const Vec    a = hull[indices[i]];
        const Vec    n = cross(hull[indices[i + 1]] - a, hull[indices[i + 2]] - a);
        const double length = std::sqrt(dot(n, n));
        for (const Vec& p : points)
            if (length > 0) max = std::max(max, dot(p - a, n) / length);
    }
    return max;
}

int main(int, char** arguments) {
    std::ifstream  points_file(arguments[1]), hulls_file(arguments[2]);
    std::mt19937   dice(1);
    std::string    name, other;
    int            count, positions, index_count, failed = 0, hulls = 0;
    std::normal_distribution<double> normal;
    while (points_file >> name >> count) {
        const std::vector<Vec> points = read_points(points_file, count);
        hulls_file >> other >> positions >> index_count;
        const std::vector<Vec> hull = read_points(hulls_file, positions);
        std::vector<unsigned>  indices(index_count);
        for (unsigned& i : indices) hulls_file >> i;
        const std::vector<Vec> corners = corners_of_bullet(points);
        double extent = 0, less = 0, apart = 0;
        for (const Vec& axis : {Vec{1, 0, 0}, Vec{0, 1, 0}, Vec{0, 0, 1}})
            extent = std::max(extent, reach(points, axis) + reach(points, Vec{} - axis));
        for (int i = 0; i < 2000; i++) {
            Vec          d = {normal(dice), normal(dice), normal(dice)};
            const double length = std::sqrt(dot(d, d));
            d = {d.x / length, d.y / length, d.z / length};
            const double ours = reach(hull, d);
            less = std::max(less, (reach(points, d) - ours) / extent);
            apart = std::max(apart, std::fabs(ours - reach(corners, d)) / extent);
        }
        bool are_points = true;
        for (const Vec& h : hull)
            are_points &= std::any_of(points.begin(), points.end(), [&](const Vec& p) {
                return p.x == h.x && p.y == h.y && p.z == h.z;
            });
        const bool   whole = corners.size() <= 64;
        const bool   is_flat = name == "tilted"; // but for the last bits of its points
        const bool   as_many = whole ? is_flat || std::abs(int(hull.size()) - int(corners.size())) <= 2 : hull.size() == 64;
        const double above = outside(hull, indices, points) / extent;
        const bool   right = name == other && are_points && as_many && is_closed(indices) &&
                           less < (whole ? 1e-6 : 0.04) && above < (whole ? 1e-6 : 0.04) &&
                           apart < (whole ? 2e-4 : 0.04);
        std::printf("%s%s: %zu of %zu corners, less %.2g, apart %.2g, outside %.2g\n",
                    right ? "" : "WRONG ", name.c_str(), hull.size(), corners.size(), less, apart,
                    above);
        failed += !right;
        hulls++;
    }
    std::printf("%d hulls, %d wrong\n", hulls, failed);
    return failed || hulls < 30;
}
